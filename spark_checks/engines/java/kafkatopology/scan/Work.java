package kafkatopology.scan;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** What every task of a scan does: all tests of its records in one pass, and what it gives of them. */
record Work(Give give, String spec, String scan) implements Serializable {
    private static final int REMEMBERED = 100;

    /** Scans that another engine will repeat, so their remaining tasks need not run. Only the latest are kept. */
    private static final Set<String> REFUSED =
            Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                    return size() > REMEMBERED;
                }
            }));

    /** What a task gives. */
    Rows rows(Supplier<Source> records) {
        return give.rows(this, records);
    }

    /**
     * The answer of a tally as JSON: `groups`, `hotKeys` and `evidence`, or `refused`.
     *
     * Every task answers, so that none is missed: the one that refused first may be repeated, and its first answer lost.
     */
    String done(Supplier<Source> records) {
        if (REFUSED.contains(scan)) {
            return PartitionScan.refusal(new Refused("another task of the scan has refused"));
        }
        String answer = answer(records);
        if (!answer.startsWith("{\"groups\"")) {
            REFUSED.add(scan);
        }
        return answer;
    }

    private String answer(Supplier<Source> records) {
        try (Source source = records.get()) {
            return PartitionScan.tally(spec, source);
        } catch (Refused refused) {
            return PartitionScan.refusal(refused);
        } catch (LinkageError error) {
            // Another version of the connector than the one compiled against.
            return PartitionScan.refusal(new Refused(error.toString()));
        }
    }
}
