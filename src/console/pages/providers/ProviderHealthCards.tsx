import { type Answer } from "../../api/ConsoleApi.ts"
import { Loading } from "../../components/Loading.tsx"
import { Badge } from "../../components/Badge.tsx"
import { useLoad } from "../../state/LoadHooks.ts"
import { providerName } from "./ProviderNames.ts"

type HealthState = Answer<"analytics", "providerHealth">["data"][number]

const words = { closed: "Available", open: "Circuit open", "half-open": "Testing" } as const

const outcomes = [
  ["accepted", "good"],
  ["declined", "calm"],
  ["unknown", "warn"],
  ["unanswered", "busy"]
] as const

/** Bar of outcomes, each as wide as its share. */
const OutcomeShares = ({ state }: { readonly state: HealthState }) => {
  const all = outcomes.reduce((sum, [name]) => sum + state[name], 0)
  if (all === 0) return <p class="muted">No requests in the last hour</p>
  let from = 0
  return (
    <>
      <svg class="outcomes" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        {outcomes.map(([name, tone]) => {
          const width = (state[name] / all) * 100
          const x = from
          from += width
          return <rect key={name} class={`shape ${tone}`} x={x} width={width} height="1" />
        })}
      </svg>
      <p class="muted">
        {outcomes
          .filter(([name]) => state[name] > 0)
          .map(([name]) => `${state[name]} ${name}`)
          .join(", ")}
      </p>
    </>
  )
}

const isInUse = (state: HealthState): boolean =>
  state.circuit !== "closed" || outcomes.some(([name]) => state[name] > 0)

const POLL = 10_000

const HealthCards = ({ states }: { readonly states: ReadonlyArray<HealthState> }) => {
  const [asked, quiet] = [states.filter(isInUse), states.filter((state) => !isInUse(state))]
  return (
    <>
      <div class="health">
        {asked.map((state) => (
          <section key={state.provider} class="health-card" aria-label={providerName(state.provider)}>
            <p class="queue-head">
              <strong>{providerName(state.provider)}</strong>
              <Badge status={state.circuit === "open" ? "failed" : state.circuit} words={words[state.circuit]} />
            </p>
            <OutcomeShares state={state} />
          </section>
        ))}
      </div>
      {quiet.length > 0 && (
        <p class="muted">
          No requests in the last hour: {quiet.map(({ provider }) => providerName(provider)).join(", ")}.
        </p>
      )}
    </>
  )
}

export const ProviderHealth = () => {
  const loaded = useLoad((get) => get("analytics", "providerHealth", {}), [], POLL)
  return <Loading loaded={loaded}>{({ data }) => <HealthCards states={data} />}</Loading>
}
