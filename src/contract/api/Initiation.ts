/** Initiation endpoints tell their errors with a code, all others without, and act for their credential's organisation. */
export const isInitiation = (path: string): boolean =>
  path === "/v1/payments-init" || path.startsWith("/v1/payments-init/")
