import { useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Json } from "../../parts/Json.tsx"
import { ProblemNote } from "../../parts/ProblemNote.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { Time } from "../../parts/Time.tsx"
import { useLoad } from "../../state/Load.ts"
import { ofOrg, orgId } from "../../state/Session.ts"

const POLL = 2000
const SHOWN = 30

/** Events as they happen, whether an endpoint asked for them or not. */
export const Tail = () => {
  const [paused, setPaused] = useState(false)
  const { data, problem, reload } = useLoad(
    (signal) => call("webhookLog", "events", { urlParams: { ...ofOrg(), limit: SHOWN } }, { signal }),
    [orgId.value],
    paused ? undefined : POLL
  )
  if (data === undefined)
    return problem === undefined ? <Skeleton /> : <ProblemNote problem={problem} onRetry={reload} />
  return (
    <>
      <p class="tail-head">
        <span class={paused ? "pulse" : "pulse live"} aria-hidden="true" />
        {paused ? "Paused" : "Listening"}
        <Button icon={paused ? "play" : "pause"} onClick={() => setPaused(!paused)}>
          {paused ? "Go on" : "Pause"}
        </Button>
      </p>
      {data.data.length === 0 ? (
        <Empty icon="webhooks" title="Nothing has happened yet">
          Events appear here within two seconds.
        </Empty>
      ) : (
        <ul class="tail">
          {data.data.map((event) => (
            <li key={event.event_id}>
              <details>
                <summary>
                  <code>{event.event_type}</code>
                  <Time at={event.created_at} relative />
                </summary>
                <Json name={`Data of ${event.event_type}`} value={event.data} />
              </details>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
