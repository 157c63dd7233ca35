/** The service has the last word; this saves people a refusal. */
export const PASSWORD_LENGTH_MIN = 12;
