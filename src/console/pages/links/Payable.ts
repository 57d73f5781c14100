interface Payable {
  readonly status: string
  readonly amount_type: "fixed" | "open"
  readonly expires_at: string | null
}

/** An open link goes on taking payments after the first one, for as long as it may. */
export const takesPayments = ({ amount_type, expires_at, status }: Payable, now: Date): boolean =>
  status === "active" ||
  (status === "paid" && amount_type === "open" && (expires_at === null || new Date(expires_at) > now))
