package oracle;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.LogSegments;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/** recover, lookup and indexes: one segment at a time. */
final class SegmentCmd {
    static final int MAX_TXN_TIMEOUT_MS = 900_000;
    static final long PRODUCER_EXPIRY_MS = 86_400_000;
    private static final Pattern TP = Pattern.compile("(.+)-(\\d+)");
    private static final String[] INDEX_SUFFIXES = {".index", ".timeindex", ".txnindex"};

    private SegmentCmd() { }

    static TopicPartition partitionOf(File dir) {
        Matcher m = TP.matcher(dir.getName());
        return m.matches() ? new TopicPartition(m.group(1), Integer.parseInt(m.group(2))) : new TopicPartition("oracle", 0);
    }

    private static LogSegment open(File dir, long base, LogConfig c, Time t) throws IOException {
        return LogSegment.open(dir, base, c, t, true, 0, false, "");
    }

    static List<long[]> epochs(LeaderEpochFileCache cache) {
        List<long[]> out = new ArrayList<>();
        for (var e : cache.epochEntries()) {
            out.add(new long[] {((Number) Indexes.member(e, "epoch")).longValue(), ((Number) Indexes.member(e, "startOffset")).longValue()});
        }
        return out;
    }

    static Map<String, Object> recover(Req q) throws Exception {
        File src = q.dir("dir");
        long base = q.num("base");
        String mode = q.str("producerState", "snapshot");
        if (!List.of("none", "snapshot", "replay").contains(mode)) throw new IllegalArgumentException("producerState: " + mode);
        Time time = Env.time(q);
        TopicPartition tp = partitionOf(src);
        LogConfig config = new LogConfig(q.topicConfig());
        Map<String, Object> r = new LinkedHashMap<>();
        try (Work w = Work.forRequest(q)) {
            File dir = w.sub(tp.toString());
            Work.copy(new File(src, Indexes.name(base, ".log")), new File(dir, Indexes.name(base, ".log")));
            if (q.bool("leaderEpochs", true)) Work.copyIfThere(LeaderEpochCheckpointFile.newFile(src), dir);
            List<Long> earlier = new ArrayList<>();
            if (!mode.equals("none")) {
                File[] all = src.listFiles(File::isFile);
                Arrays.sort(all);
                for (File f : all) {
                    String n = f.getName();
                    if (!n.matches("\\d{20}\\..*")) continue;
                    long at = Long.parseLong(n.substring(0, 20));
                    if (n.endsWith(".snapshot") && at <= base) Work.copyIfThere(f, dir);
                    if (mode.equals("replay") && at < base && !n.endsWith(".snapshot")) {
                        Work.copyIfThere(f, dir);
                        if (n.endsWith(".log")) earlier.add(at);
                    }
                }
            }
            Env.Deferred scheduler = new Env.Deferred();
            LeaderEpochFileCache epochs = new LeaderEpochFileCache(tp,
                new LeaderEpochCheckpointFile(LeaderEpochCheckpointFile.newFile(dir), new LogDirFailureChannel(1)), scheduler);
            ProducerStateManager psm = new ProducerStateManager(tp, dir, MAX_TXN_TIMEOUT_MS,
                new ProducerStateManagerConfig((int) q.num("producerIdExpirationMs", PRODUCER_EXPIRY_MS), false), time);
            if (mode.equals("snapshot")) psm.truncateAndReload(0, base, time.milliseconds());
            if (mode.equals("replay")) {
                LogSegments before = new LogSegments(tp);
                try {
                    for (long b : earlier) before.add(open(dir, b, config, time));
                    UnifiedLog.rebuildProducerState(psm, before, q.num("logStartOffset", 0), base, time, false, "");
                } finally {
                    before.close();
                }
            }
            r.put("base", base);
            r.put("producerState", mode);
            r.put("producerStateAt", psm.mapEndOffset());
            r.put("producersBefore", psm.activeProducers().size());
            LogSegment seg = open(dir, base, config, time);
            Throwable failed = null;
            try {
                r.put("sizeBefore", seg.size());
                int cut = seg.recover(psm, epochs);
                r.put("validBytes", seg.size());
                r.put("truncatedBytes", cut);
                r.put("nextOffset", seg.readNextOffset());
                r.put("largestTimestamp", seg.largestTimestamp());
                r.put("largestRecordTimestamp", seg.largestRecordTimestamp().isPresent() ? seg.largestRecordTimestamp().getAsLong() : null);
                psm.takeSnapshot();
                if (q.bool("finish", true)) seg.onBecomeInactiveSegment();
            } catch (Throwable t) {
                failed = t;
                r.put("failure", Oracle.error(t));
            }
            seg.close();
            scheduler.drain();
            r.put("files", Work.list(dir));
            r.put("offsetIndex", Indexes.offset(new File(dir, Indexes.name(base, ".index")), base, q.num("maxEntries", 200_000)));
            r.put("timeIndex", Indexes.time(new File(dir, Indexes.name(base, ".timeindex")), base, q.num("maxEntries", 200_000)));
            r.put("txnIndex", Indexes.txn(new File(dir, Indexes.name(base, ".txnindex")), base));
            List<Map<String, Object>> ps = new ArrayList<>();
            psm.activeProducers().entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(e -> ps.add(Indexes.producer(e.getValue())));
            r.put("producers", ps);
            r.put("leaderEpochs", epochs(epochs));
            r.put("ok", failed == null);
        }
        return r;
    }

    static Map<String, Object> lookup(Req q) throws Exception {
        File src = q.dir("dir");
        long base = q.num("base");
        Map<String, Object> r = new LinkedHashMap<>();
        try (Work w = Work.temp()) {
            File dir = w.sub(partitionOf(src).toString());
            Work.copy(new File(src, Indexes.name(base, ".log")), new File(dir, Indexes.name(base, ".log")));
            for (String s : INDEX_SUFFIXES) Work.copyIfThere(new File(src, Indexes.name(base, s)), dir);
            boolean trim = q.bool("trimIndexes", true);
            if (trim) {
                Indexes.trimZeros(new File(dir, Indexes.name(base, ".index")), 8);
                Indexes.trimZeros(new File(dir, Indexes.name(base, ".timeindex")), 12);
            }
            LogSegment seg = open(dir, base, new LogConfig(q.topicConfig()), Env.time(q));
            try {
                r.put("base", base);
                r.put("trimIndexes", trim);
                r.put("offsetIndexEntries", seg.offsetIndex().entries());
                r.put("timeIndexEntries", seg.timeIndex().entries());
                List<Object> offsets = new ArrayList<>();
                List<Object> times = new ArrayList<>();
                for (long n : many(q.raw("offset"))) offsets.add(byOffset(seg, n, (int) q.num("maxBytes", 1)));
                for (long t : many(q.raw("timestamp"))) times.add(byTime(seg, t));
                r.put("byOffset", offsets);
                r.put("byTime", times);
            } finally {
                seg.close();
            }
        }
        return r;
    }

    private static List<Long> many(Object v) {
        List<Long> out = new ArrayList<>();
        if (v instanceof List<?> l) for (Object o : l) out.add(Long.parseLong(o.toString()));
        else if (v != null) for (String s : v.toString().split(",")) out.add(Long.parseLong(s));
        return out;
    }

    private static Map<String, Object> entry(String k1, long v1, String k2, long v2) {
        Map<String, Object> e = new LinkedHashMap<>();
        e.put(k1, v1);
        e.put(k2, v2);
        return e;
    }

    private static Map<String, Object> byOffset(LogSegment seg, long n, int maxBytes) {
        Map<String, Object> a = new LinkedHashMap<>();
        a.put("offset", n);
        try {
            var ix = seg.offsetIndex().lookup(n);
            a.put("indexEntry", entry("offset", ix.indexKey(), "position", ix.indexValue()));
            var hit = seg.translateOffset(n);
            if (hit == null) {
                a.put("found", null);
            } else {
                Map<String, Object> f = entry("batchBaseOffset", hit.offset, "position", hit.position);
                f.put("batchSize", hit.size);
                a.put("found", f);
            }
            var got = seg.read(n, maxBytes, Optional.of((long) seg.size()), true);
            if (got == null) {
                a.put("read", null);
            } else {
                Map<String, Object> f = entry("position", got.fetchOffsetMetadata.relativePositionInSegment, "bytes", got.records.sizeInBytes());
                for (var b : got.records.batches()) {
                    f.put("batchBaseOffset", b.baseOffset());
                    f.put("batchLastOffset", b.lastOffset());
                    for (var rec : b) {
                        if (rec.offset() < n) continue;
                        f.put("firstRecordAtOrAfter", entry("offset", rec.offset(), "timestamp", rec.timestamp()));
                        break;
                    }
                    break;
                }
                a.put("read", f);
            }
        } catch (Throwable t) {
            a.put("error", Oracle.error(t));
        }
        return a;
    }

    private static Map<String, Object> byTime(LogSegment seg, long ts) {
        Map<String, Object> a = new LinkedHashMap<>();
        a.put("timestamp", ts);
        try {
            var te = seg.timeIndex().lookup(ts);
            a.put("timeIndexEntry", entry("timestamp", te.indexKey(), "offset", te.indexValue()));
            var ix = seg.offsetIndex().lookup(Math.max(te.indexValue(), seg.baseOffset()));
            a.put("indexEntry", entry("offset", ix.indexKey(), "position", ix.indexValue()));
            Object hit = findByTime(seg, ts).orElse(null);
            if (hit == null) {
                a.put("found", null);
            } else {
                Map<String, Object> f = entry("timestamp", ((Number) Indexes.member(hit, "timestamp")).longValue(),
                    "offset", ((Number) Indexes.member(hit, "offset")).longValue());
                f.put("leaderEpoch", ((Optional<?>) Indexes.member(hit, "leaderEpoch")).orElse(null));
                a.put("found", f);
            }
        } catch (Throwable t) {
            a.put("error", Oracle.error(t));
        }
        return a;
    }

    /** The method grew a third argument (a size limit) after 4.0. */
    private static Optional<?> findByTime(LogSegment seg, long ts) throws Throwable {
        try {
            try {
                return (Optional<?>) LogSegment.class.getMethod("findOffsetByTimestamp", long.class, long.class, int.class)
                    .invoke(seg, ts, seg.baseOffset(), Integer.MAX_VALUE);
            } catch (NoSuchMethodException e) {
                return (Optional<?>) LogSegment.class.getMethod("findOffsetByTimestamp", long.class, long.class)
                    .invoke(seg, ts, seg.baseOffset());
            }
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    static Map<String, Object> indexes(Req q) throws Exception {
        File src = q.dir("dir");
        long base = q.num("base");
        long max = q.num("maxEntries", 200_000);
        Map<String, Object> r = new LinkedHashMap<>();
        r.put("base", base);
        r.put("offsetIndex", Indexes.offset(new File(src, Indexes.name(base, ".index")), base, max));
        r.put("timeIndex", Indexes.time(new File(src, Indexes.name(base, ".timeindex")), base, max));
        r.put("txnIndex", Indexes.txn(new File(src, Indexes.name(base, ".txnindex")), base));
        File snap = new File(src, Indexes.name(base, ".snapshot"));
        if (snap.isFile()) r.put("snapshot", Indexes.snapshot(snap));
        if (new File(src, Indexes.name(base, ".log")).isFile()) {
            try (Work w = Work.temp()) {
                File dir = w.sub(partitionOf(src).toString());
                Work.copy(new File(src, Indexes.name(base, ".log")), new File(dir, Indexes.name(base, ".log")));
                for (String s : INDEX_SUFFIXES) Work.copyIfThere(new File(src, Indexes.name(base, s)), dir);
                boolean hadTime = new File(dir, Indexes.name(base, ".timeindex")).isFile();
                r.put("segmentSanity", Indexes.check(() -> {
                    LogSegment seg = open(dir, base, new LogConfig(q.topicConfig()), Env.time(q));
                    try {
                        seg.sanityCheck(!hadTime);
                    } finally {
                        seg.close();
                    }
                }));
            }
        }
        return r;
    }
}
