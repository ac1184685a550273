import java.util.Map;
import java.util.Properties;
import java.util.Scanner;
import org.apache.kafka.storage.internals.log.LogConfig;

/**
 * Whether Kafka takes the settings of a topic: "" or its reason, for each line of input. A line is whether the brokers
 * have tiered storage, then name=value of each setting.
 */
public class TopicSettings {
    public static void main(String[] arguments) {
        // A broker always has settings of its own: without any, Kafka does not compare those of a topic.
        Map<String, String> broker = Map.of("retention.ms", "604800000");
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            String[] words = lines.nextLine().split(" ");
            Properties topic = new Properties();
            for (int at = 1; at < words.length; at++) {
                String[] setting = words[at].split("=", 2);
                topic.setProperty(setting[0], setting[1]);
            }
            String reason = "";
            try {
                LogConfig.validate(Map.of(), topic, broker, Boolean.parseBoolean(words[0]));
            } catch (RuntimeException refused) {
                reason = refused.getMessage();
            }
            System.out.println(reason);
        }
    }
}
