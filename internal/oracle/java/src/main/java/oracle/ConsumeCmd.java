package oracle;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The client of a broker check: waits for a broker, optionally creates topics, then reads every partition. */
final class ConsumeCmd {
    private ConsumeCmd() { }

    static Map<String, Object> run(Req q) throws Exception {
        String bootstrap = q.str("bootstrap");
        long deadline = System.currentTimeMillis() + q.num("timeoutMs", 60_000);
        Properties p = new Properties();
        p.put("bootstrap.servers", bootstrap);
        p.put("request.timeout.ms", "2000");
        p.put("default.api.timeout.ms", q.str("apiTimeoutMs", "10000"));
        Set<String> names = new TreeSet<>();
        List<TopicPartition> tps = new ArrayList<>();
        Map<String, Object> r = new LinkedHashMap<>();
        try (Admin admin = Admin.create(p)) {
            while (true) {
                try {
                    if (!admin.describeCluster(new DescribeClusterOptions().timeoutMs(2000)).nodes().get().isEmpty()) break;
                } catch (ExecutionException e) {
                    if (System.currentTimeMillis() > deadline) throw new IllegalStateException("broker did not come up", e.getCause());
                }
                if (q.has("watchPid") && !ProcessHandle.of(q.num("watchPid")).map(ProcessHandle::isAlive).orElse(false)) {
                    throw new IllegalStateException("broker process ended");
                }
                Thread.sleep(100);
            }
            for (String spec : list(q.raw("create"))) create(admin, spec);
            for (String spec : list(q.raw("produce"))) produce(bootstrap, spec);
            names.addAll(admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get());
            if (q.has("topics")) names.retainAll(Set.copyOf(list(q.raw("topics"))));
            while (true) {
                tps.clear();
                boolean led = true;
                for (var d : admin.describeTopics(names).allTopicNames().get().values()) {
                    for (var i : d.partitions()) {
                        tps.add(new TopicPartition(d.name(), i.partition()));
                        led &= i.leader() != null && !i.leader().isEmpty();
                    }
                }
                if (led || System.currentTimeMillis() > deadline) break;
                Thread.sleep(100);
            }
        }
        Map<String, Object> parts = new TreeMap<>();
        for (TopicPartition tp : tps) parts.put(tp.toString(), read(bootstrap, tp, q));
        r.put("partitions", parts);
        return r;
    }

    private static List<String> list(Object v) {
        if (v == null) return List.of();
        if (v instanceof List<?> l) return l.stream().map(Object::toString).toList();
        return List.of(v.toString().split(" "));
    }

    /** name:partitions[:config=value]... */
    private static void create(Admin admin, String spec) throws Exception {
        String[] s = spec.split(":");
        Map<String, String> c = new LinkedHashMap<>();
        for (int i = 2; i < s.length; i++) {
            int eq = s[i].indexOf('=');
            c.put(s[i].substring(0, eq), s[i].substring(eq + 1));
        }
        try {
            admin.createTopics(List.of(new NewTopic(s[0], Optional.of(Integer.parseInt(s[1])), Optional.of((short) 1)).configs(c))).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) throw e;
        }
    }

    /** name:count[:codec], small numbered records to partition 0 with timestamps 1_700_000_000_000 + i. */
    private static void produce(String bootstrap, String spec) throws Exception {
        String[] s = spec.split(":");
        Properties p = new Properties();
        p.put("bootstrap.servers", bootstrap);
        p.put("compression.type", s.length > 2 ? s[2] : "none");
        p.put("linger.ms", "5");
        try (var producer = new KafkaProducer<>(p, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < Integer.parseInt(s[1]); i++) {
                producer.send(new ProducerRecord<>(s[0], 0, 1_700_000_000_000L + i, ("k" + i).getBytes(), ("value " + i).getBytes()));
            }
        }
    }

    private static Map<String, Object> read(String bootstrap, TopicPartition tp, Req q) throws Exception {
        Properties p = new Properties();
        p.put("bootstrap.servers", bootstrap);
        p.put("enable.auto.commit", "false");
        p.put("auto.offset.reset", "none");
        p.put("fetch.max.wait.ms", "50");
        p.put("default.api.timeout.ms", "10000");
        p.put("isolation.level", q.str("isolation", "read_uncommitted"));
        Map<String, Object> r = new LinkedHashMap<>();
        MessageDigest md = MessageDigest.getInstance("SHA-256");
        long count = 0;
        Long first = null;
        Long last = null;
        try (var c = new KafkaConsumer<>(p, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            c.assign(List.of(tp));
            long from = c.beginningOffsets(List.of(tp)).get(tp);
            long to = c.endOffsets(List.of(tp)).get(tp);
            r.put("beginningOffset", from);
            r.put("endOffset", to);
            c.seek(tp, from);
            long deadline = System.currentTimeMillis() + q.num("partitionTimeoutMs", 15_000);
            try {
                while (c.position(tp) < to && System.currentTimeMillis() < deadline) {
                    for (var rec : c.poll(Duration.ofMillis(200))) {
                        count++;
                        if (first == null) first = rec.offset();
                        last = rec.offset();
                        md.update(ByteBuffer.allocate(16).putLong(rec.offset()).putLong(rec.timestamp()).flip());
                        field(md, rec.key());
                        field(md, rec.value());
                    }
                }
                r.put("reachedEnd", c.position(tp) >= to);
            } catch (Exception e) {
                r.put("error", Oracle.error(e));
            }
            r.put("position", c.position(tp));
        } catch (Exception e) {
            r.put("error", Oracle.error(e));
        }
        r.put("records", count);
        r.put("firstOffset", first);
        r.put("lastOffset", last);
        r.put("digest", HexFormat.of().formatHex(md.digest()));
        return r;
    }

    private static void field(MessageDigest md, byte[] b) {
        md.update(ByteBuffer.allocate(4).putInt(b == null ? -1 : b.length).flip());
        if (b != null) md.update(b);
    }
}
