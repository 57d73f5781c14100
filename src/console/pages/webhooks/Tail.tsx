import { useState } from "preact/hooks"
import { type Answer, call } from "../../api/Api.ts"
import { Awaited } from "../../parts/Awaited.tsx"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Json } from "../../parts/Json.tsx"
import { OrgOf } from "../../parts/OrgColumn.tsx"
import { Time } from "../../parts/Time.tsx"
import { useLoad } from "../../state/Load.ts"
import { ofOrg, orgId } from "../../state/Session.ts"
import { gistOf } from "./Gist.ts"

const POLL = 2000
const SHOWN = 30

type Event = Answer<"webhookLog", "events">["data"][number]

const Shown = ({ events }: { readonly events: ReadonlyArray<Event> }) =>
  events.length === 0 ? (
    <Empty icon="webhooks" title="Nothing has happened yet">
      Events appear here within two seconds.
    </Empty>
  ) : (
    <ul class="tail">
      {events.map((event) => (
        <li key={event.event_id}>
          <details>
            <summary>
              <code>{event.event_type}</code>
              <span class="gist">{gistOf(event.data)}</span>
              <OrgOf id={event.org_id} />
              <Time at={event.created_at} relative />
            </summary>
            <Json name={`Data of ${event.event_type}`} value={event.data} />
          </details>
        </li>
      ))}
    </ul>
  )

/** Events as they happen, whether an endpoint asked for them or not. */
export const Tail = () => {
  const [paused, setPaused] = useState(false)
  const loaded = useLoad(
    (signal) => call("webhookLog", "events", { urlParams: { ...ofOrg(), limit: SHOWN } }, { signal }),
    [orgId.value],
    paused ? undefined : POLL
  )
  return (
    <>
      <p class="tail-head">
        <span class={paused ? "pulse" : "pulse live"} aria-hidden="true" />
        {paused ? "Paused" : "Listening"}
        <Button icon={paused ? "play" : "pause"} onClick={() => setPaused(!paused)}>
          {paused ? "Go on" : "Pause"}
        </Button>
      </p>
      <Awaited loaded={loaded}>{({ data }) => <Shown events={data} />}</Awaited>
    </>
  )
}
