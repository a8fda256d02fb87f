package oracle;

import java.util.List;
import java.util.Random;

/** What the batches of one generated partition have in common: fixed by the profile, the rest drawn from the seed. */
final class GenTraits {
    static final List<String> PROFILES = List.of("mixed", "v0", "v1", "v2", "magics", "codecs", "transactions", "compacted",
        "kraft", "huge", "tiny", "timestamps", "headers", "offsets");

    /** Magics in the order of their appearance; more than one means that a format upgrade lies in the log. */
    int[] magics = {2};
    /** Whether magics come in any order, as after a downgrade. */
    boolean magicsShuffled;
    boolean kraft;
    /** Chances, 0 to 1, that a batch has each of these. */
    double producer;
    double transaction;
    double compacted;
    double gap;
    double compressed = 0.6;
    double logAppendTime = 0.2;
    boolean oddHeaders;
    /** normal, tiny or huge. */
    String size = "normal";
    /** rising, equal, shuffled, absent, some or extreme. */
    String timestamps = "rising";
    boolean noLeaderEpoch;
    long start;
    int batches;
    int segmentBytes;

    private GenTraits() { }

    static GenTraits of(String profile, Random r) {
        if (!PROFILES.contains(profile)) throw new IllegalArgumentException("unknown profile: " + profile);
        GenTraits t = new GenTraits();
        t.timestamps = GenData.pick(r, "rising", "equal", "shuffled", "absent", "some", "extreme");
        t.producer = GenData.pick(r, 0.0, 0.5, 0.9);
        t.transaction = GenData.pick(r, 0.0, 0.3, 0.7);
        t.compacted = GenData.pick(r, 0.0, 0.0, 0.3, 0.8);
        t.gap = GenData.pick(r, 0.0, 0.0, 0.2);
        t.oddHeaders = r.nextInt(3) == 0;
        t.noLeaderEpoch = r.nextInt(6) == 0;
        t.start = start(r);
        t.batches = 10 + r.nextInt(50);
        t.segmentBytes = GenData.pick(r, 4_000, 30_000, 1 << 30);
        switch (profile) {
            case "mixed" -> {
                t.magics = GenData.pick(r, new int[] {2}, new int[] {2}, new int[] {1, 2}, new int[] {0, 1, 2}, new int[] {1});
                t.size = GenData.pick(r, "normal", "normal", "normal", "tiny");
                t.kraft = t.magics.length == 1 && t.magics[0] == 2 && r.nextInt(8) == 0;
            }
            case "v0" -> t.magics = new int[] {0};
            case "v1" -> t.magics = new int[] {1};
            case "magics" -> {
                t.magics = GenData.pick(r, new int[] {0, 1, 2}, new int[] {0, 2}, new int[] {0, 1}, new int[] {1, 2});
                t.magicsShuffled = r.nextInt(3) == 0;
            }
            case "codecs" -> {
                t.compressed = 1;
                t.magics = GenData.pick(r, new int[] {2}, new int[] {0, 1, 2});
            }
            case "transactions" -> {
                t.producer = 0.95;
                t.transaction = 0.8;
            }
            case "compacted" -> t.compacted = 0.9;
            case "kraft" -> t.kraft = true;
            case "huge" -> {
                t.size = "huge";
                t.magics = GenData.pick(r, new int[] {2}, new int[] {2}, new int[] {0, 1, 2});
                t.batches = 2 + r.nextInt(3);
                t.segmentBytes = 1 << 30;
            }
            case "tiny" -> {
                t.size = "tiny";
                t.batches = 100 + r.nextInt(300);
            }
            case "timestamps" -> t.timestamps = GenData.pick(r, "equal", "shuffled", "absent", "some", "extreme");
            case "headers" -> t.oddHeaders = true;
            case "offsets" -> {
                t.gap = 0.5;
                t.start = (1L << 62) - (1L << 33) + GenData.below(r, 1L << 32);
            }
            default -> { }
        }
        if (t.kraft) {
            t.producer = 0;
            t.compacted = 0;
            t.compressed = 0;
            t.noLeaderEpoch = false;
        }
        return t;
    }

    private static long start(Random r) {
        return switch (r.nextInt(6)) {
            case 0 -> 1 + r.nextInt(1000);
            case 1 -> Integer.MAX_VALUE - (long) r.nextInt(20);
            case 2 -> GenData.below(r, 1L << 48);
            default -> 0;
        };
    }
}
