import { call } from "../../api/Api.ts"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"

interface Props {
  readonly paymentId: string
  /** Which of the things that wait is decided; where none is named, there is one, or one verdict fits them all. */
  readonly itemId?: string
  /** Nobody knows what its provider did. */
  readonly unknown: boolean
  /** Money of it has no place. */
  readonly suspense: boolean
  readonly onDone: () => void
}

const Reason = () => (
  <Field
    name="reason"
    label="How you know"
    required
    hint="It stands on the record, in the history and in the audit log, with your name."
  />
)

/** What only a person can decide, after a look into the provider's own books. */
export const Decide = ({ itemId, onDone, paymentId, suspense, unknown }: Props) => {
  const path = { payment_id: paymentId }
  const about = itemId === undefined ? {} : { item_id: itemId }
  const resolve = (outcome: "completed" | "failed") => (values: Readonly<Record<string, string>>, key: string) =>
    call(
      "resolutions",
      "resolve",
      {
        path,
        payload: { outcome, reason: values["reason"] ?? "", ...about }
      },
      { key }
    )
  if (!unknown && !suspense) return null
  return (
    <>
      <Task
        name={suspense ? "Book it" : "It went through"}
        kind="primary"
        says={
          suspense
            ? "Books the money in suspense to the organisation, or accepts what came of a payin that was paid in part. Look it up at the provider first."
            : "Says that the provider moved the money: the books, the record and the webhooks follow. Look it up at the provider first."
        }
        submit="Settle as completed"
        done="Settled as completed"
        onDone={onDone}
        act={resolve("completed")}
      >
        <Reason />
      </Task>
      <Task
        name={suspense ? "Provider has it back" : "It did not"}
        kind="danger"
        says="Says that the provider did not move the money, or has it back: what is held is given back to the organisation. Look it up at the provider first, for this cannot be taken back."
        submit="Settle as failed"
        done="Settled as failed"
        onDone={onDone}
        act={resolve("failed")}
      >
        <Reason />
      </Task>
      {suspense && (
        <Task
          name="Give it back"
          kind="danger"
          says="Sends the money in suspense back through the provider that took it. Doing it again never sends it twice."
          submit="Give it back"
          done="Given back"
          onDone={onDone}
          act={({ reason = "" }, key) =>
            call("resolutions", "giveBack", { path, payload: { reason, ...about } }, { key })
          }
        >
          <Reason />
        </Task>
      )}
    </>
  )
}
