package kafkatopology.scan;

/** These records are not for this engine: the SQL engine must judge them. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refused(String reason) {
        super(reason, null, false, false);
    }
}
