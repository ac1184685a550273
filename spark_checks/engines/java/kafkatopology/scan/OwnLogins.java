package kafkatopology.scan;

import java.security.Provider;
import java.security.Security;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerSaslClientProvider;
import org.apache.kafka.common.security.scram.internals.ScramSaslClientProvider;

/**
 * Logins of the Kafka client that this session uses.
 *
 * Kafka registers its logins with the JVM. On a Spark Connect server, another session may have registered those of its
 * own copy of the client, and they do not understand ours.
 */
final class OwnLogins {
    private static final String KAFKA = "org.apache.kafka.common.security.";

    private OwnLogins() {}

    static void use(Map<String, Object> settings) {
        if (String.valueOf(settings.get("security.protocol")).startsWith("SASL")) {
            try {
                register();
            } catch (LinkageError another) {
                // Another version of Kafka's client has them elsewhere, and registers them itself.
            }
        }
    }

    private static void register() {
        synchronized (Security.class) {
            for (Provider each : Security.getProviders()) {
                Class<?> kind = each.getClass();
                if (kind.getName().startsWith(KAFKA) && kind.getClassLoader() != KafkaConsumer.class.getClassLoader()) {
                    Security.removeProvider(each.getName());
                }
            }
            OAuthBearerSaslClientProvider.initialize();
            ScramSaslClientProvider.initialize();
        }
    }
}
