package oracle;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/** Writes a partition folder of wild but legal segments, the same for the same seed. */
final class GenerateCmd {
    /** A producer between its batches. The sequence continues within an epoch; a fenced epoch starts at 0. */
    private static final class Producer {
        final long id;
        /** Newer brokers raise the epoch with every transaction's end. */
        final boolean epochPerTransaction;
        short epoch;
        int sequence;
        boolean open;
        /** The open transaction's data is compacted away. */
        boolean cleaned;
        int coordinatorEpoch;

        Producer(Random r, int number) {
            id = GenData.pick(r, (long) r.nextInt(10_000), GenData.below(r, Long.MAX_VALUE)) & ~7L | number;
            epochPerTransaction = r.nextBoolean();
            epoch = (short) r.nextInt(GenData.pick(r, 3, 30_000));
            sequence = GenData.pick(r, 0, 0, Integer.MAX_VALUE - r.nextInt(30));
            coordinatorEpoch = r.nextInt(5);
        }

        GenBatch.Owner owner(boolean transactional) {
            return new GenBatch.Owner(id, epoch, sequence, transactional);
        }

        void raiseEpoch() {
            epoch++;
            sequence = 0;
        }
    }

    /** By size; a leap in the offsets may take more segments than that. */
    private static final int MAX_ROLLED = 6;

    private final Random r;
    private final GenTraits traits;
    private final GenBatch batch;
    private final TreeSet<String> seen = new TreeSet<>();
    private final List<Producer> producers = new ArrayList<>();
    private final File dir;
    private final List<Map<String, Object>> segments = new ArrayList<>();
    private FileChannel out;
    private Map<String, Object> segment;
    private long next;
    /** The offset behind the last batch. */
    private long end;
    private int epoch;

    private GenerateCmd(long seed, String profile, File dir) {
        r = new Random(seed * 31 + profile.hashCode());
        traits = GenTraits.of(profile, r);
        batch = new GenBatch(r, traits, new GenData(r, traits), seen);
        for (int i = 0; i < 1 + r.nextInt(4); i++) producers.add(new Producer(r, i));
        next = traits.start;
        epoch = traits.noLeaderEpoch ? -1 : r.nextInt(4) == 0 ? r.nextInt(1 << 30) : r.nextInt(3);
        this.dir = dir;
    }

    static Map<String, Object> run(Req q) throws IOException {
        File dir = new File(q.str("outDir")).getAbsoluteFile();
        String[] there = dir.list();
        if (there != null && there.length > 0) throw new IllegalArgumentException("outDir is not empty: " + dir);
        Files.createDirectories(dir.toPath());
        GenerateCmd g = new GenerateCmd(q.num("seed"), q.str("profile", "mixed"), dir);
        try {
            g.roll();
            int n = (int) q.num("batches", g.traits.batches);
            for (int i = 0; i < n; i++) g.step(g.traits.magicsShuffled ? g.r.nextInt(g.traits.magics.length)
                : (int) ((long) i * g.traits.magics.length / n));
        } finally {
            if (g.out != null) g.out.close();
        }
        Map<String, Object> res = new LinkedHashMap<>();
        res.put("startOffset", g.traits.start);
        res.put("endOffset", g.end);
        res.put("segments", g.segments);
        res.put("features", g.seen);
        return res;
    }

    private void roll() throws IOException {
        if (out != null) out.close();
        out = new FileOutputStream(new File(dir, Indexes.name(next, ".log"))).getChannel();
        segment = new LinkedHashMap<>();
        segment.put("base", next);
        segment.put("size", 0L);
        segment.put("records", 0L);
        segments.add(segment);
    }

    private void add(String k, long n) {
        segment.put(k, (long) segment.get(k) + n);
    }

    /** Writes a batch, or a few related ones, behind what is there. */
    private void step(int phase) throws IOException {
        int magic = traits.magics[phase];
        if ((long) segment.get("size") >= traits.segmentBytes && segments.size() < MAX_ROLLED) roll();
        if (r.nextDouble() < traits.gap) {
            seen.add("offset gap between batches");
            skip(GenData.pick(r, 1L, (long) r.nextInt(100), (long) r.nextInt(1 << 30)));
        }
        if (!traits.noLeaderEpoch && r.nextInt(12) == 0) epoch += 1 + r.nextInt(2);
        if (traits.kraft && r.nextInt(3) == 0) {
            write(batch.kraft(next, epoch));
            return;
        }
        boolean compacted = r.nextDouble() < traits.compacted;
        if (magic != 2 || r.nextDouble() >= traits.producer) {
            write(batch.data(magic, next, epoch, GenBatch.Owner.NONE, batch.count(), compacted));
            return;
        }
        Producer p = producers.get(r.nextInt(producers.size()));
        if (p.open && r.nextInt(3) == 0) {
            end(p);
            return;
        }
        if (!p.open && r.nextInt(15) == 0 && p.epoch < Short.MAX_VALUE - 1) p.raiseEpoch();
        if (!p.open && r.nextDouble() < traits.transaction) {
            p.open = true;
            p.cleaned = compacted && r.nextBoolean();
        }
        int count = batch.count();
        if (p.open && p.cleaned) {
            skip(count);
        } else {
            write(batch.data(2, next, epoch, p.owner(p.open), count, compacted));
        }
        p.sequence = (int) (((long) p.sequence + count) & Integer.MAX_VALUE);
    }

    /** Moves on without a batch, into a new segment where a relative offset would not fit into 31 bits. */
    private void skip(long n) throws IOException {
        next += n;
        if (next - (long) segment.get("base") > Integer.MAX_VALUE - 100_000) roll();
    }

    private void end(Producer p) throws IOException {
        if (p.epochPerTransaction && p.epoch < Short.MAX_VALUE - 1) p.raiseEpoch();
        if (r.nextInt(4) == 0) p.coordinatorEpoch++;
        var owner = new GenBatch.Owner(p.id, p.epoch, -1, true);
        if (p.cleaned && r.nextInt(3) == 0) {
            skip(1); // the marker is gone as well
        } else {
            write(batch.marker(next, epoch, owner, r.nextBoolean(), p.coordinatorEpoch, p.cleaned));
        }
        p.open = false;
        p.cleaned = false;
    }

    private void write(GenBatch.Made m) throws IOException {
        add("size", m.bytes().remaining());
        add("records", m.records());
        while (m.bytes().hasRemaining()) out.write(m.bytes());
        end = next = m.nextOffset();
        skip(0);
    }
}
