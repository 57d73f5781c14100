/**
 * How PostgreSQL keeps the text of an event: it begins with what stands in the row's other columns, so the rest is kept,
 * and of the events of one change, which tell the same, once. `event_payload` in the database puts it together again.
 */
import type { StoredEvent } from "./Webhook.ts"

interface KeptText {
  /** All of it, where it is of another shape. */
  readonly payload: string | null
  readonly data: string | null
  /** The event of the same time that has the same to tell. */
  readonly same_as: string | null
}

/** Times of this length are written alike by the database. */
const USUAL_TIME = 24

const beginningOf = ({ event_id, event_type, org_id }: StoredEvent, time: string): string =>
  `{"event_id":"${event_id}","event_type":"${event_type}","org_id":"${org_id}","created_at":"${time}","data":`

/** `at` is the time of its row. */
export const keptText = (event: StoredEvent, at: Date): KeptText => {
  const time = at.toISOString()
  const beginning = beginningOf(event, time)
  return time.length === USUAL_TIME && event.payload.startsWith(beginning) && event.payload.endsWith("}")
    ? { payload: null, data: event.payload.slice(beginning.length, -1), same_as: null }
    : { payload: event.payload, data: null, same_as: null }
}

/** Of events that are written together, at one time. */
export const keptTexts = (events: ReadonlyArray<StoredEvent>, at: Date) => {
  const first = new Map<string, string>()
  return events.map((event) => {
    const { event_id, event_type } = event
    const text = keptText(event, at)
    const same_as = text.data === null ? undefined : first.get(text.data)
    if (text.data !== null && same_as === undefined) first.set(text.data, event_id)
    return { event_id, event_type, ...text, ...(same_as === undefined ? {} : { data: null, same_as }) }
  })
}
