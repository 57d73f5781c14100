/** What the benchmark and its load generator say to each other. */
export const endpoints = ["initiate", "record", "list", "rate"] as const
export type Endpoint = (typeof endpoints)[number]

export interface Job {
  readonly endpoint: Endpoint
  readonly port: number
  readonly apiKey: string
  readonly connections: number
  readonly seconds: number
  /** Requests a second, each at its time; null for as many as go. */
  readonly pace: number | null
  /** Tells the payments of this job from those of every other. */
  readonly tag: string
  /** Whose records are read. */
  readonly transactionIds: ReadonlyArray<string>
}

export interface JobResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** Of the payments that were initiated. */
  readonly transactionIds: ReadonlyArray<string>
}

export type LoadMessage =
  | { readonly type: "progress"; readonly requests: number; readonly seconds: number }
  | { readonly type: "done"; readonly result: JobResult }
  | { readonly type: "failed"; readonly message: string }
