import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;

/** Constructs the clients of the emitted files. A line: a JSON object with kind, text and more. Answers ok or why not. */
public class Construct {
    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode asked = mapper.readTree(line);
            Properties settings = new Properties();
            settings.load(new StringReader(asked.get("text").asText()));
            for (Map.Entry<String, JsonNode> more : asked.get("more").properties()) {
                settings.setProperty(more.getKey(), more.getValue().asText());
            }
            System.out.println(constructed(asked.get("kind").asText(), settings));
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static String constructed(String kind, Properties settings) {
        try {
            switch (kind) {
                case "producer" ->
                    // Not closed: close() waits for a thread that sleeps for retry.backoff.ms, up to 25 days.
                    new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
                case "consumer" ->
                    new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                        .close(CloseOptions.timeout(Duration.ZERO));
                case "share-consumer" ->
                    new KafkaShareConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                        .close(Duration.ZERO);
                default -> {
                    StreamsBuilder builder = new StreamsBuilder();
                    builder.stream("in").to("out");
                    new KafkaStreams(builder.build(), settings).close(Duration.ZERO);
                }
            }
            return "ok";
        } catch (Exception error) {
            Throwable cause = error.getCause() == null ? error : error.getCause();
            return (error.getMessage() + ": " + cause.getMessage()).replace('\n', ' ');
        }
    }
}
