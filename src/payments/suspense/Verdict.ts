/** What an operator says about a payment that no machine can settle. */
export interface Verdict {
  /** Of money in suspense: the organisation keeps what came, or pays for what went; failed: the provider has it back. */
  readonly outcome: "completed" | "failed"
  /** How the operator knows. */
  readonly reason: string
}
