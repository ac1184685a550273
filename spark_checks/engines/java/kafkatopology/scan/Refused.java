package kafkatopology.scan;

/** These records are not for this engine: the SQL engine must judge them. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    final boolean overflow;

    Refused(String reason) {
        this(reason, false);
    }

    private Refused(String reason, boolean overflow) {
        super(reason, null, false, false);
        this.overflow = overflow;
    }

    static Refused overflow(long keys) {
        return new Refused("more than " + keys + " distinct keys in a partition do not fit into memory", true);
    }
}
