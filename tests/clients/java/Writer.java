import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes the keys with the Java client: one line each, hexadecimal digits, or "-" for null. */
public final class Writer {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 4) {
            throw new IllegalArgumentException("usage: Writer BOOTSTRAP TOPIC PARTITIONER KEYS");
        }
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[0]);
        settings.put("linger.ms", "20");
        if (!arguments[2].equals("default")) {
            settings.put("partitioner.class", arguments[2]);
        }
        List<String> lines = Files.readAllLines(Path.of(arguments[3]));
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int number = 0; number < lines.size(); number++) {
                String line = lines.get(number);
                byte[] key = line.equals("-") ? null : HexFormat.of().parseHex(line);
                sent.add(producer.send(new ProducerRecord<>(arguments[1], key, Integer.toString(number).getBytes())));
            }
        }
        for (Future<RecordMetadata> each : sent) {
            each.get();
        }
    }
}
