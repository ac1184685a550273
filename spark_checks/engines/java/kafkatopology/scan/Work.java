package kafkatopology.scan;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** What every task of a scan does: all tests of its records in one pass, and the answer as JSON. */
record Work(String spec, String scan) implements Serializable {
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

    /** `groups` and `hotKeys`, or `overflow` or `refused`; nothing when another task of the scan has refused. */
    Optional<String> done(Supplier<Source> records) {
        if (REFUSED.contains(scan)) {
            return Optional.empty();
        }
        String answer = answer(records);
        if (!answer.startsWith("{\"groups\"")) {
            REFUSED.add(scan);
        }
        return Optional.of(answer);
    }

    private String answer(Supplier<Source> records) {
        try (Source source = records.get()) {
            return new PartitionScan(spec).judge(source);
        } catch (Refused refused) {
            return PartitionScan.refusal(refused);
        } catch (LinkageError error) {
            // Another version of the connector than the one compiled against.
            return PartitionScan.refusal(new Refused(error.toString()));
        }
    }
}
