import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.kafka.common.config.ConfigDef;

/** Prints the config definitions of the Kafka on the class path as JSON, as the jars state them. */
public class Dump {
    private static final String CLIENTS = "org.apache.kafka.clients.";
    private static final String SERVER = "org.apache.kafka.server.config.";
    private static final String GROUP = "org.apache.kafka.coordinator.group.GroupConfig";
    private static final String LOG = "org.apache.kafka.storage.internals.log.LogConfig";

    private static final List<String> PROBES = List.of("", " ", "true", "TRUE", " False", "yes", "0", "1", "-1", "-2",
            "-3", "+5", "007", " 7 ", "5", "9", "10", "1.5", "0.5", "0.0001", "12345678.9", "1e3", "1_000", "0x10", "30s", "32767",
            "32768", "2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "a", "abc", "a,b",
            " a , b ", "a,,b", "a,a", "*", "0:1", "0:1,1:2", "by_duration:P1D", "by_duration:PT1H30M",
            "by_duration:-PT1H", "by_duration:1d", "by_duration:");

    public static void main(String[] args) throws Exception {
        Map<String, Object> scopes = new TreeMap<>();
        scopes.put("topic", keys(firstDef(LOG), LOG, "org.apache.kafka.common.config.TopicConfig"));
        scopes.put("producer", client("producer.ProducerConfig"));
        scopes.put("consumer", client("consumer.ConsumerConfig"));
        scopes.put("admin", client("admin.AdminClientConfig"));
        String streams = "org.apache.kafka.streams.StreamsConfig";
        scopes.put("streams", keys(firstDef(streams), streams));
        // Before 4.0 a group had no configs of its own.
        scopes.put("group", find(GROUP) == null ? Map.of() : keys(firstDef(GROUP), GROUP));
        scopes.put("broker", keys(firstDef(SERVER + "AbstractKafkaConfig", "kafka.server.KafkaConfig"),
                "kafka.server.KafkaConfig", SERVER + "ServerConfigs", SERVER + "ServerLogConfigs",
                SERVER + "ReplicationConfigs", SERVER + "ZkConfigs"));
        Map<String, Object> all = new TreeMap<>();
        all.put("scopes", scopes);
        all.put("synonyms", synonyms());
        all.put("prefixes", prefixes(Class.forName(streams)));
        new ObjectMapper().writeValue(System.out, all);
    }

    private static Map<String, Object> client(String name) throws Exception {
        return keys(firstDef(CLIENTS + name), CLIENTS + name, CLIENTS + "CommonClientConfigs");
    }

    private static Class<?> find(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException missing) {
            return null;
        }
    }

    /** The definitions of the first class that exists: behind a method or in a constant, as the version has it. */
    private static ConfigDef firstDef(String... classes) throws Exception {
        for (String name : classes) {
            Class<?> type = find(name);
            for (String member : List.of("configDef", "configDefCopy", "CONFIG_DEF", "CONFIG")) {
                Object found = type == null ? null : member(type, member);
                if (found instanceof ConfigDef def) {
                    return def;
                }
            }
        }
        throw new IllegalStateException("no ConfigDef in " + String.join(", ", classes));
    }

    private static Object member(Class<?> type, String name) throws Exception {
        for (var method : type.getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == 0
                    && Modifier.isStatic(method.getModifiers())) {
                return method.invoke(null);
            }
        }
        for (Field field : type.getDeclaredFields()) {
            if (field.getName().equals(name) && Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                return field.get(null);
            }
        }
        return null;
    }

    private static Map<String, Object> keys(ConfigDef def, String... constantsIn) throws Exception {
        Set<String> deprecated = deprecatedConstants(constantsIn);
        Map<String, Object> keys = new TreeMap<>();
        for (ConfigDef.ConfigKey key : def.configKeys().values()) {
            List<Object> validators = validators(key.validator);
            Map<String, Object> row = new TreeMap<>();
            row.put("type", key.type.name().toLowerCase(Locale.ROOT));
            row.put("required", !key.hasDefault());
            row.put("default", key.hasDefault() ? ConfigDef.convertToString(key.defaultValue, key.type) : null);
            row.put("importance", key.importance.name().toLowerCase(Locale.ROOT));
            row.put("documentation", key.documentation == null ? "" : key.documentation);
            row.put("internal", key.internalConfig);
            row.put("deprecated", deprecated.contains(key.name));
            row.put("validators", validators);
            row.put("verdicts", verdicts(key, validators));
            keys.put(key.name, row);
        }
        return keys;
    }

    /** Names that only deprecated constants hold: a constant may be renamed while its config stays. */
    private static Set<String> deprecatedConstants(String... classes) throws Exception {
        Set<String> deprecated = new HashSet<>();
        Set<String> current = new HashSet<>(); // some constants are null
        for (String name : classes) {
            Class<?> type = find(name);
            for (Field field : type == null ? new Field[0] : type.getFields()) {
                if (field.getType() == String.class && Modifier.isStatic(field.getModifiers())) {
                    (field.isAnnotationPresent(Deprecated.class) ? deprecated : current).add((String) field.get(null));
                }
            }
        }
        deprecated.removeAll(current);
        return deprecated;
    }

    /** What Kafka makes of some texts: how it prints an accepted one, null for a refused one. */
    private static Map<String, String> verdicts(ConfigDef.ConfigKey key, List<Object> validators) {
        Map<String, String> verdicts = new TreeMap<>();
        if (key.type == ConfigDef.Type.CLASS) {
            return verdicts; // Kafka would load the class
        }
        Set<String> texts = new TreeSet<>(PROBES);
        for (Object validator : validators) {
            for (Object value : ((Map<?, ?>) validator).values()) {
                if (value instanceof Number number) {
                    texts.addAll(List.of(text(number, -1), text(number, 0), text(number, 1)));
                } else if (value instanceof Collection<?> choices) {
                    String last = null;
                    for (Object choice : choices) {
                        String text = (String) choice;
                        texts.addAll(List.of(text, " " + text, text.toLowerCase(Locale.ROOT),
                                text.toUpperCase(Locale.ROOT), text + "," + text, text + ", " + last));
                        last = text;
                    }
                }
            }
        }
        for (String text : texts) {
            try {
                Object value = ConfigDef.parseType(key.name, text, key.type);
                if (key.validator != null) {
                    key.validator.ensureValid(key.name, value);
                }
                verdicts.put(text, key.type == ConfigDef.Type.PASSWORD ? text : ConfigDef.convertToString(value, key.type));
            } catch (RuntimeException refused) {
                verdicts.put(text, null);
            }
        }
        return verdicts;
    }

    private static String text(Number number, int more) {
        return number instanceof Double value
                ? Double.toString(value + more)
                : BigInteger.valueOf(number.longValue()).add(BigInteger.valueOf(more)).toString();
    }

    /** A validator as its class, its own words, and every field that holds numbers, flags or texts. */
    private static List<Object> validators(ConfigDef.Validator validator) throws Exception {
        List<Object> rows = new ArrayList<>();
        if (validator == null) {
            return rows;
        }
        Map<String, Object> row = new TreeMap<>();
        for (Field field : validator.getClass().getDeclaredFields()) {
            field.setAccessible(true);
            Object value = Modifier.isStatic(field.getModifiers()) ? null : field.get(validator);
            if (value instanceof ConfigDef.Validator inner) {
                rows.addAll(validators(inner));
            } else if (value instanceof Collection<?> many) {
                for (Object one : many) {
                    if (one instanceof ConfigDef.Validator inner) {
                        rows.addAll(validators(inner));
                    }
                }
                row.put(field.getName(), many.stream().filter(String.class::isInstance).toList());
            } else if (value instanceof Number || value instanceof Boolean) {
                row.put(field.getName(), value);
            }
        }
        String text = String.valueOf(validator);
        if (text.matches("\\[[^\\[\\]]*\\]") && !text.contains("...")) {
            row.putIfAbsent("validStrings", List.of(text.substring(1, text.length() - 1).split(", ")));
        }
        row.put("class", validator.getClass().getName().replaceAll("\\$\\$Lambda.*", "\\$Lambda"));
        row.put("text", text);
        rows.add(row);
        return rows;
    }

    /** For each topic key the broker keys it inherits from, nearest first, with the factor to the topic's unit. */
    @SuppressWarnings("unchecked")
    private static Map<String, Object> synonyms() throws Exception {
        Class<?> type = Class.forName(SERVER + "ServerTopicConfigSynonyms");
        var all = (Map<String, List<Object>>) type.getField("ALL_TOPIC_CONFIG_SYNONYMS").get(null);
        Map<String, Object> rows = new TreeMap<>();
        for (var entry : all.entrySet()) {
            List<Object> brokerKeys = new ArrayList<>();
            for (Object synonym : entry.getValue()) {
                var name = synonym.getClass().getMethod("name").invoke(synonym);
                var converter = (Function<String, String>) synonym.getClass().getMethod("converter").invoke(synonym);
                brokerKeys.add(List.of(name, Long.parseLong(converter.apply("1"))));
            }
            rows.put(entry.getKey(), brokerKeys);
        }
        return rows;
    }

    /** The prefixes by which a Streams application configures its clients, by the constant that names each. */
    private static Map<String, Object> prefixes(Class<?> streams) throws Exception {
        Map<String, Object> rows = new TreeMap<>();
        for (Field field : streams.getFields()) {
            if (field.getName().endsWith("_PREFIX") && field.getType() == String.class) {
                rows.put(field.getName(), field.get(null));
            }
        }
        return rows;
    }
}
