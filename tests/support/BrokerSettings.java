import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Scanner;
import kafka.server.KafkaConfig;
import org.apache.kafka.storage.internals.log.LogConfig;

/** Whether a broker starts with these settings: "" or its reason, for each line of input. A line is name=value words. */
public class BrokerSettings {
    public static void main(String[] arguments) {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            Properties broker = new Properties();
            broker.putAll(Map.of(
                "process.roles", "broker",
                "node.id", "1",
                "listeners", "PLAINTEXT://127.0.0.1:9092",
                "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "controller.listener.names", "CONTROLLER",
                "controller.quorum.voters", "3000@127.0.0.1:9093"));
            for (String word : lines.nextLine().split(" ")) {
                String[] setting = word.split("=", 2);
                broker.setProperty(setting[0], setting[1]);
            }
            String reason = "";
            try {
                KafkaConfig config = new KafkaConfig(broker, false);
                Map<String, Object> log = new HashMap<>(config.extractLogConfigMap());
                boolean tiered = config.remoteLogManagerConfig().isRemoteStorageSystemEnabled();
                LogConfig.validateBrokerLogConfigValues(log, tiered);
            } catch (RuntimeException refused) {
                reason = refused.getMessage().replace('\n', ' ');
            }
            System.out.println(reason);
        }
    }
}
