package oracle;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.message.*;
import org.apache.kafka.common.record.*;
import org.apache.kafka.common.record.internal.*;
import org.apache.kafka.common.utils.*;
import org.apache.kafka.common.utils.internals.*;

/** Writes single batches with Kafka's own builder, at the offset and epoch it is told. */
final class GenBatch {
    /** Bytes of a batch, the next offset behind it, and how many records it holds. */
    record Made(ByteBuffer bytes, long nextOffset, int records) { }

    /** Producer fields of a batch. */
    record Owner(long id, short epoch, int sequence, boolean transactional) {
        static final Owner NONE = new Owner(-1, (short) -1, -1, false);
    }

    private final Random r;
    private final GenTraits traits;
    private final GenData data;
    /** Names of everything that occurred. */
    private final Set<String> seen;

    GenBatch(Random r, GenTraits traits, GenData data, Set<String> seen) {
        this.r = r;
        this.traits = traits;
        this.data = data;
        this.seen = seen;
    }

    /** The number of offsets that a data batch of these traits takes. */
    int count() {
        if (traits.size.equals("tiny")) return r.nextInt(5) == 0 ? 1 + r.nextInt(3) : 1;
        if (traits.size.equals("huge")) return pick(1, 3, 40, 4000);
        return switch (r.nextInt(12)) {
            case 0 -> 1;
            case 1 -> 100 + r.nextInt(300);
            default -> 1 + r.nextInt(20);
        };
    }

    /** A data batch over count offsets; compaction may leave any part of it, down to none. */
    Made data(int magic, long base, int epoch, Owner owner, int count, boolean compacted) {
        long last = base + count - 1;
        boolean logAppendTime = magic > 0 && r.nextDouble() < traits.logAppendTime;
        TimestampType type = magic == 0 ? TimestampType.NO_TIMESTAMP_TYPE
            : logAppendTime ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        long appendTime = logAppendTime ? data.now() : -1;
        data.now();
        double keep = compacted ? pick(0.0, 0.1, 0.5, 0.9) : 1;
        List<Long> offsets = new ArrayList<>();
        for (long o = base; o <= last; o++) if (keep == 1 || r.nextDouble() < keep) offsets.add(o);
        if (offsets.isEmpty()) {
            if (magic == 2 && r.nextBoolean()) {
                seen.add("empty batch");
                return empty(base, last, epoch, owner, type, appendTime, false);
            }
            offsets.add(base + r.nextInt(count));
        }
        long horizon = compacted && magic == 2 && r.nextInt(3) == 0 ? data.now() + 86_400_000 : -1;
        // Of an old format nothing can say that offsets at either end are gone.
        long next = magic == 2 ? last + 1 : offsets.get(offsets.size() - 1) + 1;
        Compression codec = codec(magic);
        int fill = traits.size.equals("huge") ? ((1 << 20) + r.nextInt(3 << 20)) / offsets.size() : 0;
        seen.add("magic " + magic);
        seen.add(codec.type() + (magic == 2 ? "" : " magic " + magic));
        seen.add(type.name);
        if (horizon >= 0) seen.add("delete horizon");
        if (offsets.size() < next - base) seen.add("offset gap in a batch");
        if (owner.id >= 0) seen.add(owner.transactional ? "transactional" : "idempotent");
        if (owner.sequence > Integer.MAX_VALUE - count + 1) seen.add("sequence wraps");
        if (fill > 0) seen.add("huge");
        if (magic == 2 && epoch < 0) seen.add("no leader epoch");
        return build(magic, codec, type, base, appendTime, owner, false, epoch, horizon, next, b -> {
            for (long o : offsets) {
                Header[] hs = magic == 2 ? data.headers() : NO_HEADERS;
                long ts = magic == 0 ? -1 : data.timestamp();
                byte[] value = fill > 0 ? data.big(fill) : data.value();
                b.appendWithOffset(o, ts, data.key(), value, hs);
                if (hs.length > 100) seen.add("many headers");
                if (ts == -1 && magic > 0) seen.add("no timestamp");
                if (ts >= Long.MAX_VALUE - 1) seen.add("largest timestamp");
            }
        });
    }

    private static final Header[] NO_HEADERS = {};

    /** What the cleaner leaves of a batch to remember its producer's sequence. */
    Made empty(long base, long last, int epoch, Owner owner, TimestampType type, long timestamp, boolean control) {
        ByteBuffer b = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(b, (byte) 2, owner.id, owner.epoch, owner.sequence, base, last, epoch, type,
            timestamp, owner.transactional, control);
        b.flip();
        return new Made(b, last + 1, 0);
    }

    /** The end of a transaction; after compaction with the time at which it may go, or as an empty batch. */
    Made marker(long offset, int epoch, Owner owner, boolean commit, int coordinatorEpoch, boolean cleaned) {
        seen.add(commit ? "commit" : "abort");
        if (cleaned && r.nextInt(3) == 0) {
            seen.add("empty control batch");
            return empty(offset, offset, epoch, owner, TimestampType.CREATE_TIME, data.now(), true);
        }
        long horizon = cleaned ? data.now() + 86_400_000 : -1;
        ControlRecordType type = commit ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        return build(2, Compression.NONE, TimestampType.CREATE_TIME, offset, -1, owner, true, epoch, horizon, offset + 1,
            b -> b.appendEndTxnMarker(data.now(), new EndTransactionMarker(type, coordinatorEpoch)));
    }

    /** A control batch of the metadata log or of its snapshots. */
    Made kraft(long offset, int epoch) {
        long now = data.now();
        int kind = r.nextInt(5);
        seen.add(List.of("leader change", "kraft version", "voters", "snapshot header", "snapshot footer").get(kind));
        return build(2, Compression.NONE, TimestampType.CREATE_TIME, offset, now, Owner.NONE, true, epoch, -1, offset + 1, b -> {
            switch (kind) {
                case 0 -> b.appendLeaderChangeMessage(now, leaderChange());
                case 1 -> b.appendKRaftVersionMessage(now, new KRaftVersionRecord().setKRaftVersion((short) r.nextInt(2)));
                case 2 -> b.appendVotersMessage(now, voters());
                case 3 -> b.appendSnapshotHeaderMessage(now, new SnapshotHeaderRecord().setLastContainedLogTimestamp(now - r.nextInt(1000)));
                default -> b.appendSnapshotFooterMessage(now, new SnapshotFooterRecord());
            }
        });
    }

    private LeaderChangeMessage leaderChange() {
        List<LeaderChangeMessage.Voter> voters = new ArrayList<>();
        int n = 1 + r.nextInt(3);
        for (int i = 0; i < n; i++) voters.add(new LeaderChangeMessage.Voter().setVoterId(i));
        return new LeaderChangeMessage().setVersion(ControlRecordUtils.LEADER_CHANGE_CURRENT_VERSION).setLeaderId(r.nextInt(n))
            .setVoters(voters).setGrantingVoters(voters.subList(0, n / 2 + 1));
    }

    private VotersRecord voters() {
        List<VotersRecord.Voter> voters = new ArrayList<>();
        int n = 1 + r.nextInt(3);
        for (int i = 0; i < n; i++) {
            var endpoints = new VotersRecord.EndpointCollection();
            endpoints.add(new VotersRecord.Endpoint().setName("CONTROLLER").setHost("host" + i).setPort(9093 + i));
            voters.add(new VotersRecord.Voter().setVoterId(i).setVoterDirectoryId(new Uuid(r.nextLong(), r.nextLong()))
                .setEndpoints(endpoints)
                .setKRaftVersionFeature(new VotersRecord.KRaftVersionFeature().setMinSupportedVersion((short) 0).setMaxSupportedVersion((short) 1)));
        }
        return new VotersRecord().setVoters(voters);
    }

    private Compression codec(int magic) {
        if (r.nextDouble() >= traits.compressed) return Compression.NONE;
        return switch (r.nextInt(magic == 2 ? 4 : 3)) {
            case 0 -> Compression.gzip().level(pick(-1, 1, 6, 9)).build();
            case 1 -> Compression.snappy().build();
            case 2 -> Compression.lz4().level(pick(1, 9, 17)).build();
            default -> Compression.zstd().level(pick(-5, 1, 3, 12)).build();
        };
    }

    private static Made build(int magic, Compression codec, TimestampType type, long base, long appendTime, Owner o, boolean control,
                              int epoch, long horizon, long next, Consumer<MemoryRecordsBuilder> body) {
        // The builder grows the buffer as needed.
        var out = new ByteBufferOutputStream(4096);
        try (var b = new MemoryRecordsBuilder(out, (byte) magic, codec, type, base, appendTime, o.id, o.epoch, o.sequence,
                o.transactional, control, magic == 2 ? epoch : -1, Integer.MAX_VALUE, horizon)) {
            body.accept(b);
            if (magic == 2) b.overrideLastOffset(next - 1);
            int n = b.numRecords();
            return new Made(b.build().buffer().duplicate(), next, n);
        }
    }

    @SafeVarargs
    private <T> T pick(T... of) {
        return GenData.pick(r, of);
    }
}
