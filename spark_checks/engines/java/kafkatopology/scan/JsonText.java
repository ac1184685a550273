package kafkatopology.scan;

import org.apache.spark.sql.catalyst.expressions.json.GetJsonObjectEvaluator;
import org.apache.spark.sql.catalyst.expressions.variant.VariantExpressionEvalUtils;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.types.variant.VariantUtil;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/** Whether bytes are one JSON text, by Spark's own parser: step by step what `contents.is_json` asks in SQL. */
final class JsonText {
    private static final int HUGE = 8 << 20;
    private static final UTF8String OPENING = UTF8String.fromString("[0,");
    private static final UTF8String CLOSING = UTF8String.fromString(",\"\\u001ekafka-topology\\u001e\"]");
    private static final String LAST = "\u001ekafka-topology\u001e";
    private static final UTF8String WHOLE = UTF8String.fromString("$");

    private JsonText() {}

    static boolean isJson(Slice value) {
        UTF8String text = value.text();
        if (!text.isValid()) {
            return false;
        }
        if (value.length >= HUGE) {
            GetJsonObjectEvaluator evaluator = new GetJsonObjectEvaluator(WHOLE);
            evaluator.setJson(text);
            return evaluator.evaluate() != null;
        }
        UTF8String among = UTF8String.concat(OPENING, text, CLOSING);
        VariantVal parsed = VariantExpressionEvalUtils.parseJson(among, false, false);
        if (parsed == null) {
            return false;
        }
        Variant third = new Variant(parsed.getValue(), parsed.getMetadata()).getElementAtIndex(2);
        return third != null && third.getType() == VariantUtil.Type.STRING
                && third.getString().equals(LAST);
    }
}
