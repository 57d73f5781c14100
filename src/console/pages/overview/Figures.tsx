import type { ComponentChildren } from "preact"
import { type Answer, call } from "../../api/Api.ts"
import { Money } from "../../parts/Money.tsx"
import { useLoad } from "../../state/Load.ts"
import { ofOrg, orgId } from "../../state/Session.ts"

export type TrendsData = Answer<"analytics", "trends">["data"]

interface FigureProps {
  readonly name: string
  readonly value: ComponentChildren
  readonly note?: string
  readonly href?: string
  readonly alarm?: boolean
}

const Figure = ({ alarm = false, href, name, note, value }: FigureProps) => (
  <div class={alarm ? "figure alarm" : "figure"}>
    <p class="figure-name">{href === undefined ? name : <a href={href}>{name}</a>}</p>
    <p class="figure-value">{value}</p>
    {note !== undefined && <p class="muted">{note}</p>}
  </div>
)

/** A page of the queue is enough to say whether somebody is waited for. */
const MOST = 100

const Waiting = () => {
  const { data } = useLoad(
    (signal) => call("payments", "queue", { urlParams: { ...ofOrg(), limit: MOST } }, { signal }),
    [orgId.value]
  )
  const count = data?.data.length ?? 0
  const words = data === undefined ? "…" : data.meta.has_more ? `${MOST}+` : String(count)
  return (
    <Figure
      name="Waiting for a person"
      value={words}
      note={count === 0 ? "Nothing to decide" : "Decide in Operations"}
      href="#/queue"
      alarm={count > 0}
    />
  )
}

export const Figures = ({ trends }: { readonly trends: TrendsData }) => {
  const { completed, count, failed, success_rate, volume } = trends.totals
  const [leading, ...others] = volume
  return (
    <div class="figures">
      <Figure
        name="Payments, 30 days"
        value={count.toLocaleString()}
        note={`${completed.toLocaleString()} completed`}
      />
      <Figure
        name="Success rate"
        value={completed + failed === 0 ? "–" : `${Math.round(success_rate * 1000) / 10} %`}
        note={`${failed.toLocaleString()} failed`}
      />
      <Figure
        name="Volume"
        value={leading === undefined ? "–" : <Money amount={leading.amount} currency={leading.currency} />}
        note={
          others.length === 0
            ? "completed"
            : `and ${others.length} more ${others.length === 1 ? "currency" : "currencies"}`
        }
      />
      <Waiting />
    </div>
  )
}
