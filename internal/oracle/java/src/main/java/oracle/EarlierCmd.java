package oracle;

import java.io.File;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Loads a copied partition folder as a broker of a release before 4.0 does. Nothing is compiled against those: the
 * log's factory takes the same things in every release, more of them as time went on, so that each parameter is
 * known by its type and by how many of that type came before it.
 */
final class EarlierCmd {
    private static final int NEVER = Integer.MAX_VALUE;

    private final Req q;
    private final Deque<Runnable> due = new ArrayDeque<>();

    private EarlierCmd(Req q) {
        this.q = q;
    }

    static Map<String, Object> load(Req q) throws Exception {
        return new EarlierCmd(q).load();
    }

    private Map<String, Object> load() throws Exception {
        File src = q.dir("dir");
        Map<String, Object> r = new LinkedHashMap<>();
        try (Work w = Work.forRequest(q)) {
            File dir = w.sub(src.getName());
            File[] fs = src.listFiles(File::isFile);
            Arrays.sort(fs);
            for (File f : fs) Work.copyIfThere(f, dir);
            boolean clean = q.bool("clean", false);
            // Up to 2.7 a log looks for the marker itself.
            if (clean) new File(w.root, ".kafka_cleanshutdown").createNewFile();
            Map<String, String> before = Work.identities(dir);
            r.put("partition", src.getName());
            Object log;
            try {
                log = open(dir, clean);
            } catch (Throwable t) {
                r.put("loaded", false);
                r.put("failure", Oracle.error(t));
                r.put("changes", Work.changes(before, Work.identities(dir)));
                return r;
            }
            while (!due.isEmpty()) due.remove().run();
            r.put("loaded", true);
            r.put("logEndOffset", call(log, "logEndOffset"));
            r.put("segments", segments(dir));
            r.put("logStartOffset", start(log, dir));
            r.put("changesByLoad", Work.changes(before, Work.identities(dir)));
            call(log, "close");
            while (!due.isEmpty()) due.remove().run();
            r.put("changes", Work.changes(before, Work.identities(dir)));
            r.put("files", Work.list(dir));
        }
        return r;
    }

    private static List<Map<String, Object>> segments(File dir) {
        List<Map<String, Object>> out = new ArrayList<>();
        File[] logs = dir.listFiles((d, name) -> name.endsWith(".log"));
        Arrays.sort(logs, Comparator.comparing(File::getName));
        for (File f : logs) {
            Map<String, Object> m = new LinkedHashMap<>();
            m.put("base", Long.parseLong(f.getName().substring(0, f.getName().length() - 4)));
            m.put("size", f.length());
            out.add(m);
        }
        return out;
    }

    private static Object start(Object log, File dir) throws Exception {
        try {
            return call(log, "logStartOffset");
        } catch (NoSuchMethodException e) { // before 0.11
            return segments(dir).get(0).get("base");
        }
    }

    private static Object call(Object o, String name) throws Exception {
        Method m = o.getClass().getMethod(name);
        m.setAccessible(true);
        return m.invoke(o);
    }

    private Object open(File dir, boolean clean) throws Throwable {
        Class<?> cls;
        try {
            cls = Class.forName("kafka.log.UnifiedLog"); // since 3.1
        } catch (ClassNotFoundException e) {
            cls = Class.forName("kafka.log.Log");
        }
        try {
            for (Method m : cls.getMethods()) {
                if (m.getName().equals("apply") && Modifier.isStatic(m.getModifiers())) return m.invoke(null, arguments(m.getParameterTypes(), dir, clean));
            }
            Constructor<?> c = cls.getConstructors()[0];
            if (c.getParameterTypes()[1] == int.class) return c.newInstance(arguments080(dir, clean, c.getParameterTypes()[8]));
            return c.newInstance(arguments(c.getParameterTypes(), dir, clean));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** In 0.8.0 there was no configuration of a log yet, and no recovery point. */
    private Object[] arguments080(File dir, boolean clean, Class<?> time) throws Exception {
        return new Object[] {dir, NEVER, 1_000_012, NEVER, Long.MAX_VALUE, !clean, (int) q.num("maxIndexSize", 10 << 20), (int) q.num("indexInterval", 4096), make(time), 0};
    }

    private Object[] arguments(Class<?>[] types, File dir, boolean clean) throws Exception {
        List<Long> longs = new ArrayList<>(List.of(q.num("logStartOffset", 0), q.num("recoveryPoint", 0)));
        if (Arrays.stream(types).filter(t -> t == long.class).count() == 1) longs.remove(0);
        List<Boolean> booleans = new ArrayList<>(List.of(clean, true, false)); // last stop, topic ids, remote storage
        Object[] args = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            Class<?> t = types[i];
            if (t == File.class) args[i] = dir;
            else if (t == long.class) args[i] = longs.remove(0);
            else if (t == boolean.class) args[i] = booleans.remove(0);
            else if (t == int.class) args[i] = NEVER;
            else args[i] = make(t);
        }
        return args;
    }

    private Object make(Class<?> t) throws Exception {
        switch (t.getSimpleName()) {
            case "LogConfig": return logConfig(t);
            case "Scheduler": case "Time": return Proxy.newProxyInstance(t.getClassLoader(), new Class<?>[] {t}, this::standIn);
            case "ConcurrentMap": return new ConcurrentHashMap<>();
            case "Option": return Class.forName("scala.Option").getMethod("empty").invoke(null);
            case "Optional": return Optional.empty();
            case "LogOffsetsListener": return t.getField("NO_OP_OFFSETS_LISTENER").get(null);
            case "LogDirFailureChannel": return t.getConstructor(int.class).newInstance(4);
            case "BrokerTopicStats": case "ProducerStateManagerConfig": break;
            default: throw new UnsupportedOperationException("a log of this release needs a " + t);
        }
        Constructor<?> c = Stream.of(t.getConstructors()).min(Comparator.comparingInt(Constructor::getParameterCount)).get();
        Object[] args = new Object[c.getParameterCount()];
        for (int i = 0; i < args.length; i++) {
            Class<?> p = c.getParameterTypes()[i];
            args[i] = p == int.class ? (Object) NEVER : p == boolean.class ? (Object) false : make(p);
        }
        return c.newInstance(args);
    }

    private Object logConfig(Class<?> t) throws Exception {
        Properties p = new Properties();
        p.putAll(q.topicConfig());
        for (Method m : t.getMethods()) {
            if (m.getName().equals("fromProps") && m.getParameterCount() == 2) {
                return m.invoke(null, m.getParameterTypes()[0] == Map.class ? Map.of() : defaults(t), p);
            }
        }
        return t.getConstructor(Map.class, Set.class).newInstance(p, Set.of());
    }

    /** The settings of a log in 0.8, which doesn't read any that are left out. */
    private static Object defaults(Class<?> logConfig) throws Exception {
        Constructor<?> c = logConfig.getConstructors()[0];
        Object[] args = new Object[c.getParameterCount()];
        Class<?> companion = Class.forName(logConfig.getName() + "$");
        for (int i = 0; i < args.length; i++) {
            args[i] = companion.getMethod("$lessinit$greater$default$" + (i + 1)).invoke(companion.getField("MODULE$").get(null));
        }
        return call(c.newInstance(args), "toProps");
    }

    /** A clock that stands still, and a scheduler that remembers what is due at once and forgets the rest. */
    private Object standIn(Object self, Method m, Object[] args) throws Throwable {
        switch (m.getName()) {
            case "milliseconds": return q.num("nowMs", System.currentTimeMillis());
            case "nanoseconds": return System.nanoTime();
            case "hiResClockMs": return System.nanoTime() / 1_000_000;
            case "isStarted": return true;
            case "schedule$default$3": return 0L;
            case "schedule$default$4": return -1L;
            case "schedule$default$5": return TimeUnit.MILLISECONDS;
            case "hashCode": return System.identityHashCode(self);
            case "equals": return self == args[0];
            case "schedule":
                if ((long) args[2] == 0 && (long) args[3] <= 0) due.add(() -> run(args[1]));
                return m.getReturnType() == void.class ? null : Proxy.newProxyInstance(EarlierCmd.class.getClassLoader(), new Class<?>[] {m.getReturnType()}, (f, n, a) -> n.getName().equals("cancel"));
            default: return m.isDefault() ? InvocationHandler.invokeDefault(self, m, args) : null;
        }
    }

    private static void run(Object body) {
        if (body instanceof Runnable r) {
            r.run();
            return;
        }
        try {
            Method m = Class.forName("scala.Function0").getMethod("apply");
            m.invoke(body);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
