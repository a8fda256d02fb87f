package oracle;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;

import com.fasterxml.jackson.databind.ObjectMapper;

/** Command line and line-oriented server; see README.md for the requests and responses. */
public final class Oracle {
    /** Requests whose answers hold the contents of records, in which nothing may be made up. */
    private static final List<String> VERBATIM = List.of("records", "dump");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final PrintStream STDOUT =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    private static final Map<String, List<String>> POSITIONAL = Map.of(
        "records", List.of("file"), "recover", List.of("dir", "base"), "load", List.of("dir"), "load-earlier", List.of("dir"),
        "lookup", List.of("dir", "base"), "indexes", List.of("dir", "base"), "snapshot", List.of("file"),
        "consume", List.of("bootstrap"), "generate", List.of("seed", "outDir"), "version", List.of());
    private static final List<String> FLAGS = List.of("batchesOnly", "clean");

    private Oracle() { }

    public static void main(String[] args) throws IOException {
        dieWithParent(args);
        if (args.length > 1 && args[0].equals("broker")) {
            kafka.Kafka.main(new String[] {args[args.length - 1]});
            return;
        }
        Capture cap = new Capture();
        cap.install();
        if (args.length == 0) {
            STDOUT.println("usage: serve | broker | records | recover | load | lookup | indexes | snapshot | dump | consume | generate | version  (see README.md)");
            STDOUT.flush();
            System.exit(2);
        }
        if (args[0].equals("serve")) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> dropScratch(args)));
            serve(cap);
            System.exit(0);
        }
        Map<String, Object> req;
        try {
            req = fromArgs(args);
        } catch (RuntimeException e) {
            STDOUT.println(e);
            STDOUT.flush();
            System.exit(2);
            return;
        }
        // The walk streams one object a line; everything else is a single response line.
        Map<String, Object> resp = answer(req, cap, args[0].equals("records") ? Oracle::line : null);
        if (!args[0].equals("records") || !Boolean.TRUE.equals(resp.get("ok"))) line(resp);
        STDOUT.flush();
        System.exit(Boolean.TRUE.equals(resp.get("ok")) ? 0 : 1);
    }

    private static void line(Map<String, Object> m) {
        try {
            STDOUT.write(JSON.writeValueAsBytes(m));
            STDOUT.write('\n');
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The options of serve and broker, --name value each. */
    private static Map<String, String> options(String[] args) {
        Map<String, String> o = new LinkedHashMap<>();
        for (int i = 1; i + 1 < args.length && args[i].startsWith("--"); i += 2) o.put(args[i], args[i + 1]);
        return o;
    }

    /** --parent PID: ends at once with that process, even in the middle of a request. */
    private static void dieWithParent(String[] args) {
        String pid = options(args).get("--parent");
        if (pid == null) return;
        ProcessHandle.of(Long.parseLong(pid)).ifPresentOrElse(p -> p.onExit().thenRun(() -> {
            try {
                dropScratch(args);
            } finally {
                Runtime.getRuntime().halt(3);
            }
        }), () -> Runtime.getRuntime().halt(3));
    }

    /** --scratch DIR: this JVM's java.io.tmpdir, removed at its end. */
    private static void dropScratch(String[] args) {
        String dir = options(args).get("--scratch");
        if (dir != null) Work.delete(new File(dir).toPath());
    }

    private static void serve(Capture cap) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String s; (s = in.readLine()) != null; ) {
            if (s.isBlank()) continue;
            Map<String, Object> resp;
            try {
                @SuppressWarnings("unchecked")
                Map<String, Object> req = JSON.readValue(s, Map.class);
                long t0 = System.nanoTime();
                resp = answer(req, cap, null);
                resp.put("ms", (System.nanoTime() - t0) / 1_000_000);
            } catch (Throwable t) {
                resp = new LinkedHashMap<>();
                resp.put("ok", false);
                resp.put("error", error(t));
            }
            line(resp);
            STDOUT.flush();
        }
    }

    private static Map<String, Object> answer(Map<String, Object> raw, Capture cap, Consumer<Map<String, Object>> stream) {
        Map<String, Object> resp = new LinkedHashMap<>();
        if (raw.containsKey("id")) resp.put("id", raw.get("id"));
        resp.put("cmd", raw.get("cmd"));
        cap.takeOut();
        cap.takeErr();
        try {
            Req q = new Req(raw);
            Object result = dispatch(q, cap, stream);
            resp.put("ok", true);
            if (result != null) resp.put("result", VERBATIM.contains(q.str("cmd")) ? result : scrub(result));
        } catch (Throwable t) {
            resp.put("ok", false);
            resp.put("error", scrub(error(t)));
        }
        String log = cap.takeErr();
        if (!log.isEmpty()) resp.put("log", scrub(log.lines().filter(l -> !l.startsWith("\tat ")).toList()));
        Work.forget();
        return resp;
    }

    private static Object dispatch(Req q, Capture cap, Consumer<Map<String, Object>> stream) throws Exception {
        switch (q.str("cmd")) {
            case "records": {
                if (stream != null) {
                    RecordsCmd.run(q, stream);
                    return null;
                }
                List<Map<String, Object>> lines = new ArrayList<>();
                RecordsCmd.run(q, lines::add);
                return lines;
            }
            case "recover": return SegmentCmd.recover(q);
            case "load": return LoadCmd.run(q);
            case "load-earlier": return EarlierCmd.load(q);
            case "lookup": return SegmentCmd.lookup(q);
            case "indexes": return SegmentCmd.indexes(q);
            case "snapshot": return Indexes.snapshot(new File(q.str("file")));
            case "dump": return DumpCmd.run(q, cap);
            case "consume": return ConsumeCmd.run(q);
            case "generate": return GenerateCmd.run(q);
            case "version": return version();
            default: throw new IllegalArgumentException("unknown cmd: " + q.str("cmd"));
        }
    }

    private static String version() throws IOException {
        Properties p = new Properties();
        try (InputStream in = Oracle.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            p.load(in);
        }
        return p.getProperty("version");
    }

    /** Scratch folders have random names: answers show them as "<work>" to stay comparable. */
    private static Object scrub(Object o) {
        if (o instanceof String s) return Work.scrub(s);
        if (o instanceof Map<?, ?> m) {
            Map<Object, Object> r = new LinkedHashMap<>();
            m.forEach((k, v) -> r.put(k, scrub(v)));
            return r;
        }
        if (o instanceof List<?> l) {
            List<Object> r = new ArrayList<>(l.size());
            for (Object x : l) r.add(scrub(x));
            return r;
        }
        return o;
    }

    /** class, message, throwing method and causes. */
    static Map<String, Object> error(Throwable t) {
        Map<String, Object> e = new LinkedHashMap<>();
        e.put("class", t.getClass().getName());
        e.put("message", t.getMessage());
        StackTraceElement[] st = t.getStackTrace();
        if (st.length > 0) e.put("at", st[0].getClassName() + "." + st[0].getMethodName().replaceAll("^lambda\\$(\\w+)\\$\\d+$", "$1"));
        if (t.getCause() != null && t.getCause() != t) e.put("cause", error(t.getCause()));
        return e;
    }

    private static Map<String, Object> fromArgs(String[] a) {
        Map<String, Object> m = new LinkedHashMap<>();
        m.put("cmd", a[0]);
        if (a[0].equals("dump")) {
            m.put("args", List.of(a).subList(1, a.length));
            return m;
        }
        List<String> names = POSITIONAL.get(a[0]);
        if (names == null) throw new IllegalArgumentException("unknown command: " + a[0]);
        int pos = 0;
        for (int i = 1; i < a.length; i++) {
            if (!a[i].startsWith("--")) {
                if (pos == names.size()) throw new IllegalArgumentException("unexpected argument: " + a[i]);
                m.put(names.get(pos++), a[i]);
                continue;
            }
            String k = camel(a[i].substring(2));
            if (FLAGS.contains(k)) {
                m.put(k, true);
            } else if (k.equals("config")) {
                String[] kv = a[++i].split("=", 2);
                @SuppressWarnings("unchecked")
                Map<String, Object> c = (Map<String, Object>) m.computeIfAbsent("config", x -> new LinkedHashMap<String, Object>());
                c.put(kv[0], kv[1]);
            } else {
                m.put(k, a[++i]);
            }
        }
        return m;
    }

    private static String camel(String s) {
        StringBuilder b = new StringBuilder();
        for (String p : s.split("-")) b.append(b.length() == 0 ? p : Character.toUpperCase(p.charAt(0)) + p.substring(1));
        return b.toString();
    }
}
