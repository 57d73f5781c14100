/** Initiation endpoints return errors with a code, and act for the credential's organisation. */
export const isInitiation = (path: string): boolean =>
  path === "/v1/payments-init" || path.startsWith("/v1/payments-init/")
