/** What a call of the promise client is rejected with. */
export class CorridorError extends Error {
  override readonly name = "CorridorError"
  /** Of the answer; 0 when there was none. */
  readonly status: number
  /** Such as `RATE_MISMATCH`, from the operations whose errors carry one. */
  readonly code: string | undefined
  /** To quote when asking about it. */
  readonly requestId: string | undefined
  /** The whole answer, which may name a `payment_id` or the `rate` to go on at. */
  readonly body: unknown

  constructor(about: {
    readonly status: number
    readonly message: string
    readonly code?: string | undefined
    readonly requestId?: string | undefined
    readonly body?: unknown
    readonly cause?: unknown
  }) {
    super(about.message, about.cause === undefined ? {} : { cause: about.cause })
    this.status = about.status
    this.code = about.code
    this.requestId = about.requestId
    this.body = about.body
  }
}
