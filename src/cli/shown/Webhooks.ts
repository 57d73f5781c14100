/** Dead letters as text. */
import { framed, type TextLayout, tableLayout, minute, properties } from "../shared/Table.ts"

type Time = Date | string

interface Letter {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: string
  readonly webhook_id: string
  readonly status: string
  readonly attempts: number
  readonly last_error: string | null
  readonly created_at: Time
}

/** `place`: the endpoint, as far as it is known. */
export const letterTable = (
  letters: ReadonlyArray<Letter>,
  place: "URL" | "ENDPOINT",
  placeOf: (at: number) => string
) =>
  tableLayout(
    ["ID", "EVENT", place, "ATTEMPTS", "LAST ERROR", "CREATED"],
    letters.map((letter, at) => [
      letter.delivery_id,
      letter.event_type,
      placeOf(at),
      String(letter.attempts),
      letter.last_error,
      minute(letter.created_at)
    ]),
    "The dead letter queue is empty.",
    [place, "CREATED", "ATTEMPTS"]
  )

interface Autopsy extends Letter {
  /** Of an operator's view alone. */
  readonly org_id?: string
  readonly endpoint_url: string
  readonly payload: string
  readonly log: ReadonlyArray<{
    readonly at: Time
    readonly attempt: number
    readonly status_code: number | null
    readonly latency_ms: number
    readonly error: string | null
    readonly answer: string | null
  }>
}

export const autopsyText = ({ log, payload, ...delivery }: Autopsy): TextLayout => {
  const facts = properties([
    ["Delivery", delivery.delivery_id],
    ["Status", delivery.status],
    ...(delivery.org_id === undefined ? [] : [["Organisation", delivery.org_id] as const]),
    ["Endpoint", `${delivery.webhook_id} ${delivery.endpoint_url}`],
    ["Event", `${delivery.event_id} ${delivery.event_type}`],
    ["Attempts", String(delivery.attempts)],
    ["Last error", delivery.last_error]
  ])
  const rows = log.map((attempt) => [
    typeof attempt.at === "string" ? attempt.at : attempt.at.toISOString(),
    String(attempt.attempt),
    attempt.status_code === null ? null : String(attempt.status_code),
    `${attempt.latency_ms} ms`,
    attempt.error,
    attempt.answer
  ])
  const titles = ["AT", "ATTEMPT", "STATUS", "TOOK", "ERROR", "ANSWER"]
  return framed(`${facts}\n\n`, tableLayout(titles, rows, "It was never tried."), `\n\n${payload}`)
}

export const replayedText = (data: { readonly replayed: number; readonly disabled: number }): string => {
  const left =
    data.disabled === 0
      ? ""
      : ` Left where they are, because their endpoint is disabled: ${data.disabled} (activate it first).`
  return `Back in the queue: ${data.replayed}. The server sends them.${left}`
}
