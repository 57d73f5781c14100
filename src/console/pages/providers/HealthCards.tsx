import { type Answer, call } from "../../api/Api.ts"
import { Awaited } from "../../parts/Awaited.tsx"
import { Badge } from "../../parts/Badge.tsx"
import { useLoad } from "../../state/Load.ts"
import { providerName } from "./Names.ts"

type State = Answer<"analytics", "providerHealth">["data"][number]

const words = { closed: "Answers", open: "Left alone", "half-open": "Being tried" } as const

const verdicts = [
  ["accepted", "good"],
  ["declined", "calm"],
  ["unknown", "warn"],
  ["unanswered", "busy"]
] as const

/** One bar for all answers, each kind as long as it is often. */
const Verdicts = ({ state }: { readonly state: State }) => {
  const all = verdicts.reduce((sum, [name]) => sum + state[name], 0)
  if (all === 0) return <p class="muted">Not asked in the last hour</p>
  let from = 0
  return (
    <>
      <svg class="verdicts" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        {verdicts.map(([name, tone]) => {
          const width = (state[name] / all) * 100
          const x = from
          from += width
          return <rect key={name} class={`shape ${tone}`} x={x} width={width} height="1" />
        })}
      </svg>
      <p class="muted">
        {verdicts
          .filter(([name]) => state[name] > 0)
          .map(([name]) => `${state[name]} ${name}`)
          .join(", ")}
      </p>
    </>
  )
}

const isOfInterest = (state: State): boolean => state.circuit !== "closed" || verdicts.some(([name]) => state[name] > 0)

const POLL = 10_000

const Shown = ({ states }: { readonly states: ReadonlyArray<State> }) => {
  const [asked, quiet] = [states.filter(isOfInterest), states.filter((state) => !isOfInterest(state))]
  return (
    <>
      <div class="health">
        {asked.map((state) => (
          <section key={state.provider} class="health-card" aria-label={providerName(state.provider)}>
            <p class="queue-head">
              <strong>{providerName(state.provider)}</strong>
              <Badge status={state.circuit === "open" ? "failed" : state.circuit} words={words[state.circuit]} />
            </p>
            <Verdicts state={state} />
          </section>
        ))}
      </div>
      {quiet.length > 0 && (
        <p class="muted">
          Not asked in the last hour: {quiet.map(({ provider }) => providerName(provider)).join(", ")}.
        </p>
      )}
    </>
  )
}

export const HealthCards = () => {
  const loaded = useLoad((signal) => call("analytics", "providerHealth", {}, { signal }), [], POLL)
  return <Awaited loaded={loaded}>{({ data }) => <Shown states={data} />}</Awaited>
}
