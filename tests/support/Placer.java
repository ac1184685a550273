import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Scanner;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.placement.ClusterDescriber;
import org.apache.kafka.metadata.placement.PlacementSpec;
import org.apache.kafka.metadata.placement.StripedReplicaPlacer;
import org.apache.kafka.metadata.placement.UsableBroker;

/** Kafka's own placement. A line of input: partitions, replicas, number of seeds, then id:rack of each broker. */
public class Placer {
    public static void main(String[] arguments) {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            String[] words = lines.nextLine().split(" ");
            List<UsableBroker> brokers = new ArrayList<>();
            for (int at = 3; at < words.length; at++) {
                String[] broker = words[at].split(":");
                Optional<String> rack = broker.length > 1 ? Optional.of(broker[1]) : Optional.empty();
                brokers.add(new UsableBroker(Integer.parseInt(broker[0]), rack, false));
            }
            TreeSet<String> found = new TreeSet<>();
            for (int seed = 0; seed < Integer.parseInt(words[2]); seed++) {
                found.add(place(brokers, Integer.parseInt(words[0]), Short.parseShort(words[1]), seed));
            }
            System.out.println(String.join(";", found));
        }
    }

    private static String place(List<UsableBroker> brokers, int partitions, short replicas, int seed) {
        ClusterDescriber cluster = new ClusterDescriber() {
            @Override
            public Iterator<UsableBroker> usableBrokers() {
                return brokers.iterator();
            }

            @Override
            public Uuid defaultDir(int broker) {
                return Uuid.randomUuid();
            }
        };
        List<String> placed = new ArrayList<>();
        new StripedReplicaPlacer(new Random(seed * 0x9E3779B97F4A7C15L)).place(new PlacementSpec(0, partitions, replicas), cluster)
            .assignments().forEach(each -> placed.add(each.replicas().toString().replace(" ", "")));
        return String.join(" ", placed);
    }
}
