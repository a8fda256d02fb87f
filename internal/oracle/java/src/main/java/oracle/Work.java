package oracle;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Scratch folder of one request. Inputs are always copied here first; Kafka only ever touches the copies. */
final class Work implements AutoCloseable {
    private static final int BLOCK = 64 * 1024;
    private static final byte[] ZEROS = new byte[BLOCK];

    private static final Pattern MTIME = Pattern.compile("lastModifiedTime=\\d+");
    private static final Pattern MILLIS = Pattern.compile("\\b\\d+( ?ms\\b)");
    private static final List<String> SEEN = new ArrayList<>();

    final File root;
    private final boolean keep;

    private Work(File root, boolean keep) {
        this.root = root;
        this.keep = keep;
        SEEN.add(root.getPath());
    }

    static String scrub(String s) {
        for (String r : SEEN) s = s.replace(r, "<work>");
        return MILLIS.matcher(MTIME.matcher(s).replaceAll("lastModifiedTime=<n>")).replaceAll("<n>$1");
    }

    static void forget() {
        SEEN.clear();
    }

    static Work temp() throws IOException {
        return new Work(Files.createTempDirectory("oracle").toRealPath().toFile(), false);
    }

    /** Uses and keeps "outDir" (must be absent or empty) when the request names one, a throw-away folder otherwise. */
    static Work forRequest(Req q) throws IOException {
        if (!q.has("outDir")) return temp();
        File d = new File(q.str("outDir")).getAbsoluteFile();
        String[] there = d.list();
        if (there != null && there.length > 0) throw new IllegalArgumentException("outDir is not empty: " + q.str("outDir"));
        Files.createDirectories(d.toPath());
        return new Work(d, true);
    }

    File sub(String name) throws IOException {
        return Files.createDirectories(root.toPath().resolve(name)).toFile();
    }

    /** Copies a file keeping all-zero blocks as holes, so that 10 MiB preallocated indexes stay cheap. */
    static File copy(File from, File to) throws IOException {
        byte[] buf = new byte[BLOCK];
        try (RandomAccessFile in = new RandomAccessFile(from, "r"); RandomAccessFile out = new RandomAccessFile(to, "rw")) {
            long pos = 0;
            int n;
            while ((n = in.read(buf)) > 0) {
                if (!Arrays.equals(buf, 0, n, ZEROS, 0, n)) {
                    out.seek(pos);
                    out.write(buf, 0, n);
                }
                pos += n;
            }
            out.setLength(pos);
        }
        return to;
    }

    static boolean copyIfThere(File from, File toDir) throws IOException {
        if (!from.isFile()) return false;
        copy(from, new File(toDir, from.getName()));
        return true;
    }

    /** name, size, sha256 of every plain file in a folder, sorted by name. */
    static List<Map<String, Object>> list(File dir) throws IOException {
        File[] fs = dir.listFiles(File::isFile);
        List<Map<String, Object>> out = new ArrayList<>();
        if (fs == null) return out;
        Arrays.sort(fs, Comparator.comparing(File::getName));
        for (File f : fs) {
            Map<String, Object> e = new LinkedHashMap<>();
            e.put("name", f.getName());
            e.put("size", f.length());
            e.put("sha256", sha256(f));
            out.add(e);
        }
        return out;
    }

    /** Cheap content identity for preallocated files: size plus digest of the part before the trailing zeros. */
    static Map<String, String> identities(File dir) throws IOException {
        Map<String, String> out = new TreeMap<>();
        File[] fs = dir.listFiles(File::isFile);
        if (fs != null) for (File f : fs) out.put(f.getName(), f.length() + " " + sha256(f, usedBytes(f)));
        return out;
    }

    /** What happened to each file: removed, added (".deleted" names are segments dropped by the loader), or changed. */
    static Map<String, Object> changes(Map<String, String> a, Map<String, String> b) {
        List<String> removed = new ArrayList<>();
        List<Object> added = new ArrayList<>();
        List<Object> changed = new ArrayList<>();
        a.forEach((name, id) -> {
            if (!b.containsKey(name)) removed.add(name);
        });
        b.forEach((name, id) -> {
            Map<String, Object> e = new LinkedHashMap<>();
            e.put("name", name);
            if (!a.containsKey(name)) {
                e.put("size", size(id));
                added.add(e);
            } else if (!a.get(name).equals(id)) {
                e.put("sizeBefore", size(a.get(name)));
                e.put("sizeAfter", size(id));
                changed.add(e);
            }
        });
        Map<String, Object> r = new LinkedHashMap<>();
        r.put("removed", removed);
        r.put("added", added);
        r.put("changed", changed);
        return r;
    }

    private static long size(String identity) {
        return Long.parseLong(identity.substring(0, identity.indexOf(' ')));
    }

    /** Length up to and including the last byte that is not zero. */
    static long usedBytes(File f) throws IOException {
        byte[] buf = new byte[64 * 1024];
        try (RandomAccessFile r = new RandomAccessFile(f, "r")) {
            for (long end = r.length(); end > 0; ) {
                int n = (int) Math.min(buf.length, end);
                r.seek(end - n);
                r.readFully(buf, 0, n);
                for (int i = n; i > 0; i--) {
                    if (buf[i - 1] != 0) return end - n + i;
                }
                end -= n;
            }
        }
        return 0;
    }

    static String sha256(File f) throws IOException {
        return sha256(f, Long.MAX_VALUE);
    }

    private static String sha256(File f, long limit) throws IOException {
        MessageDigest md;
        try {
            md = MessageDigest.getInstance("SHA-256");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        ByteBuffer b = ByteBuffer.allocate(BLOCK);
        try (FileChannel c = FileChannel.open(f.toPath(), StandardOpenOption.READ)) {
            while (limit > 0 && c.read(b.clear().limit((int) Math.min(BLOCK, limit))) > 0) {
                limit -= b.position();
                md.update(b.flip());
            }
        }
        return HexFormat.of().formatHex(md.digest());
    }

    @Override
    public void close() {
        if (!keep) delete(root.toPath());
    }

    static void delete(Path dir) {
        try (Stream<Path> s = Files.walk(dir)) {
            for (Path p : s.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(p);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
