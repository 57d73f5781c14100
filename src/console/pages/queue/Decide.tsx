import { type Answer, call } from "../../api/Api.ts"
import { type Amount, amountText, isZero } from "../../api/Amount.ts"
import { Awaited } from "../../parts/Awaited.tsx"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"
import { useLoad } from "../../state/Load.ts"
import { providerNames } from "../providers/Names.ts"
import { detailText } from "./DetailText.ts"

type Item = Answer<"resolutions", "decisions">["data"]["items"][number]
type Decision = Item["decisions"][number]

const Reason = () => (
  <Field name="reason" label="Reason" required hint="Saved with the payment and in the audit log, with your name" />
)

/** With the provider by its name, and amounts as every other page writes them. */
const named = (says: string): string =>
  detailText(
    says.replace(/(?<=through )[a-z_]+/, (code) => providerNames.get(code) ?? code),
    providerNames
  )

const balanceText = ({ after, before, currency, owes }: Decision): string | undefined => {
  if (before === null || after === null || currency === null) return undefined
  const text = (amount: Amount) => `${amountText(amount)} ${currency}`
  const debt = owes === null || isZero(owes) ? "" : ` It then owes ${text(owes)}, which its next credits pay.`
  return amountText(before) === amountText(after)
    ? `The organisation's balance stays ${text(before)}.${debt}`
    : `The organisation's balance: ${text(before)} now, ${text(after)} afterwards.${debt}`
}

interface ChoiceProps {
  readonly paymentId: string
  readonly item: Item
  readonly decision: Decision
  readonly isFirst: boolean
  readonly onDone: () => void
}

const Choice = ({ decision, isFirst, item: { item_id }, onDone, paymentId }: ChoiceProps) => {
  const { action, outcome, says } = decision
  const path = { payment_id: paymentId }
  const about = item_id === null ? {} : { item_id }
  const balance = balanceText(decision)
  return (
    <Task
      name={named(says)}
      title="Decide"
      kind={isFirst ? "primary" : outcome === "failed" ? "danger" : "plain"}
      says={
        <>
          <p>
            <strong>{named(says)}.</strong>
          </p>
          {balance !== undefined && <p>{balance}</p>}
          <p>
            {action === "give_back"
              ? "Doing it again never sends it twice."
              : "Look it up at the provider first: this cannot be undone."}
          </p>
        </>
      }
      submit={action === "give_back" ? "Give it back" : `Settle as ${outcome}`}
      done={action === "give_back" ? "Given back" : `Settled as ${outcome}`}
      onDone={onDone}
      act={({ reason = "" }, key) =>
        outcome === null
          ? call("resolutions", "giveBack", { path, payload: { reason, ...about } }, { key })
          : call("resolutions", "resolve", { path, payload: { outcome, reason, ...about } }, { key })
      }
    >
      <Reason />
    </Task>
  )
}

interface Props {
  readonly paymentId: string
  /** The item that is decided; absent: all of the payment, each with its own decisions. */
  readonly itemId?: string
  /** When the payment last changed. */
  readonly asOf?: string
  readonly onDone: () => void
}

/** Decisions that only a person can take, after a look into the provider's own books. */
export const Decide = ({ asOf, itemId, onDone, paymentId }: Props) => {
  const loaded = useLoad(
    (signal) => call("resolutions", "decisions", { path: { payment_id: paymentId } }, { signal }),
    [paymentId, itemId, asOf]
  )
  const decided = () => {
    loaded.reload()
    onDone()
  }
  return (
    <Awaited loaded={loaded} lines={1}>
      {({ data }) => {
        const items = data.items.filter(({ item_id }) => itemId === undefined || item_id === itemId)
        return (
          <>
            {items.map((item) => (
              <div key={item.item_id ?? item.kind} class="actions decisions">
                {items.length > 1 && <p class="muted">{detailText(item.detail, providerNames)}</p>}
                {item.decisions.map((decision, nth) => (
                  <Choice
                    key={decision.says}
                    paymentId={paymentId}
                    item={item}
                    decision={decision}
                    isFirst={nth === 0}
                    onDone={decided}
                  />
                ))}
              </div>
            ))}
          </>
        )
      }}
    </Awaited>
  )
}
