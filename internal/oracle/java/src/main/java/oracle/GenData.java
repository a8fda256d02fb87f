package oracle;

import java.nio.charset.StandardCharsets;
import java.util.Random;

import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Random keys, values, headers and timestamps. */
final class GenData {
    private static final String[] TEXTS = {
        "plain text", "grüße, 漢字, \uD83E\uDD80", "{\"id\":7,\"ok\":true,\"name\":\"x\"}", "tab\tnewline\nreturn\r",
        "\u001b[31mred\u001b[0m \u0007", "quote\" back\\slash", "  spaces  ", "a\u0000b", "\u202Eright to left",
    };
    private static final byte[] NOT_UTF8 = {(byte) 0xff, (byte) 0xfe, 'x', (byte) 0xc3, 0x28, (byte) 0xed, (byte) 0xa0, (byte) 0x80};

    private final Random r;
    private final GenTraits traits;
    private long clock;

    GenData(Random r, GenTraits traits) {
        this.r = r;
        this.traits = traits;
        clock = 1_700_000_000_000L + r.nextInt(1_000_000);
    }

    @SafeVarargs
    static <T> T pick(Random r, T... of) {
        return of[r.nextInt(of.length)];
    }

    static long below(Random r, long bound) {
        return (r.nextLong() >>> 1) % bound;
    }

    /** Moves a little with every batch. */
    long now() {
        clock += r.nextInt(500);
        return clock;
    }

    long timestamp() {
        return switch (traits.timestamps) {
            case "equal" -> 1_700_000_000_000L;
            case "shuffled" -> clock - 50_000 + r.nextInt(100_000);
            case "absent" -> -1;
            case "some" -> r.nextInt(4) == 0 ? -1 : clock + r.nextInt(10);
            case "extreme" -> pick(r, 0L, 1L, -1L, Long.MAX_VALUE, Long.MAX_VALUE - 1, clock, (long) Integer.MAX_VALUE);
            default -> clock += r.nextInt(3);
        };
    }

    byte[] key() {
        return switch (r.nextInt(8)) {
            case 0 -> null;
            case 1 -> new byte[0];
            case 2 -> bytes(1 + r.nextInt(40));
            default -> ("key-" + r.nextInt(50)).getBytes(StandardCharsets.UTF_8);
        };
    }

    byte[] value() {
        if (traits.size.equals("tiny")) return r.nextBoolean() ? null : bytes(r.nextInt(3));
        return switch (r.nextInt(12)) {
            case 0 -> null;
            case 1 -> new byte[0];
            case 2 -> NOT_UTF8.clone();
            case 3 -> pick(r, TEXTS).getBytes(StandardCharsets.UTF_8);
            case 4 -> bytes(r.nextInt(2000));
            case 5 -> repetitive(r.nextInt(r.nextInt(10) == 0 ? 60_000 : 3000));
            default -> ("value " + r.nextInt()).getBytes(StandardCharsets.UTF_8);
        };
    }

    /** Values that fill a huge batch: noise, which no codec shrinks, or a pattern, which all do. */
    byte[] big(int n) {
        return r.nextBoolean() ? bytes(n) : repetitive(n);
    }

    private byte[] bytes(int n) {
        byte[] b = new byte[n];
        r.nextBytes(b);
        return b;
    }

    private byte[] repetitive(int n) {
        byte[] unit = pick(r, TEXTS).getBytes(StandardCharsets.UTF_8);
        byte[] b = new byte[n];
        for (int i = 0; i < n; i++) b[i] = r.nextInt(200) == 0 ? (byte) r.nextInt() : unit[i % unit.length];
        return b;
    }

    Header[] headers() {
        int n = r.nextInt(4) != 0 ? 0 : 1 + r.nextInt(3);
        if (traits.oddHeaders) n = pick(r, 0, 1, 2, 5, 20, 127, 128, 300);
        Header[] hs = new Header[n];
        for (int i = 0; i < n; i++) {
            String key = switch (r.nextInt(6)) {
                case 0 -> "";
                case 1 -> pick(r, TEXTS);
                case 2 -> "h" + i;
                case 3 -> "k".repeat(r.nextInt(200));
                default -> "trace-id";
            };
            byte[] value = switch (r.nextInt(5)) {
                case 0 -> null;
                case 1 -> new byte[0];
                case 2 -> NOT_UTF8.clone();
                default -> bytes(r.nextInt(30));
            };
            hs[i] = new RecordHeader(key, value);
        }
        return hs;
    }
}
