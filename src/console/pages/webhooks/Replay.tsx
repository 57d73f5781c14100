import { call } from "../../api/Api.ts"
import { Task } from "../../parts/Task.tsx"

interface Props {
  readonly deliveryId: string
  readonly name: string
  readonly onDone: () => void
}

export const Replay = ({ deliveryId, name, onDone }: Props) => (
  <Task
    name="Send again"
    label={`Send again: ${name}`}
    title="Send the delivery again"
    says="Puts it back in the queue, with all its attempts before it. The receiver sees the same event id and bytes, and may have handled it already."
    submit="Send again"
    done="Delivery queued"
    onDone={onDone}
    act={(_, key) => call("webhookLog", "replay", { path: { delivery_id: deliveryId } }, { key })}
  />
)
