import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.utils.Exit;

/**
 * Runs Kafka's command-line tools, one after the other, in one process: a tool takes two seconds of processor time to start and a
 * tenth of that to do its work.
 *
 * <p>A request is a class, a number and so many arguments; the answer is the exit code, the output and the errors.
 */
public final class ToolServer {
    /** Tools keep the stream that they found first, so the stream stays and its target changes. */
    private static final class Captured extends OutputStream {
        private ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int b) {
            bytes.write(b);
        }

        @Override
        public synchronized void write(byte[] b, int offset, int length) {
            bytes.write(b, offset, length);
        }

        synchronized byte[] take() {
            byte[] taken = bytes.toByteArray();
            bytes = new ByteArrayOutputStream();
            return taken;
        }
    }

    private static final class Exited extends RuntimeException {
        Exited(int code) {
            super("exit " + code, null, false, false);
        }
    }

    private static Integer code;

    private static void exit(int status) {
        if (code == null) {
            code = status; // the first one counts: a tool may catch what ends it, and end again
        }
        throw new Exited(status);
    }

    public static void main(String[] arguments) throws IOException {
        DataInputStream requests = new DataInputStream(System.in);
        DataOutputStream answers = new DataOutputStream(System.out);
        Captured output = new Captured();
        Captured errors = new Captured();
        System.setIn(InputStream.nullInputStream());
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
        Exit.setExitProcedure((status, message) -> exit(status));
        Exit.setHaltProcedure((status, message) -> exit(status));
        while (true) {
            String name;
            try {
                name = requests.readUTF();
            } catch (EOFException ended) {
                return;
            }
            String[] given = new String[requests.readInt()];
            for (int i = 0; i < given.length; i++) {
                given[i] = requests.readUTF();
            }
            code = null;
            try {
                Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) given);
            } catch (InvocationTargetException failed) {
                if (!(failed.getCause() instanceof Exited)) {
                    failed.getCause().printStackTrace();
                    code = code == null ? 1 : code; // as Java itself ends
                }
            } catch (ReflectiveOperationException missing) {
                missing.printStackTrace();
                code = 1;
            }
            System.out.flush();
            System.err.flush();
            answers.writeInt(code == null ? 0 : code);
            for (Captured captured : new Captured[] {output, errors}) {
                byte[] bytes = captured.take();
                answers.writeInt(bytes.length);
                answers.write(bytes);
            }
            answers.flush();
        }
    }
}
