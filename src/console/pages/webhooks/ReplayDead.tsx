import { call } from "../../api/Api.ts"
import { Task } from "../../parts/Task.tsx"

interface Props {
  readonly webhookId: string
  readonly count: number
  readonly onDone: () => void
}

export const ReplayDead = ({ count, onDone, webhookId }: Props) => (
  <Task
    name={count === 1 ? "Send it again" : "Send all again"}
    title="Send dead letters again"
    kind="primary"
    says={`Puts ${count === 1 ? "the dead letter" : `all ${count < 1000 ? `${count} ` : ""}dead letters`} of this endpoint back in the queue, with all attempts before it. The receiver sees the same event ids and bytes.`}
    submit="Send again"
    done="Dead letters queued"
    onDone={onDone}
    act={(_, key) => call("webhookLog", "replayDead", { path: { webhook_id: webhookId } }, { key })}
  />
)
