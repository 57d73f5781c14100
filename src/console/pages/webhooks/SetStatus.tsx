import { call } from "../../api/Api.ts"
import { Task } from "../../parts/Task.tsx"

interface Props {
  readonly webhookId: string
  readonly status: "active" | "disabled"
  readonly onDone: () => void
}

export const SetStatus = ({ onDone, status, webhookId }: Props) => {
  const enables = status === "active"
  return (
    <Task
      name={enables ? "Enable" : "Disable"}
      title={enables ? "Enable the endpoint" : "Disable the endpoint"}
      kind={enables ? "plain" : "danger"}
      says={
        enables
          ? "Events are sent to it again, and what waited for it is sent now. Events of the time between are not."
          : "Nothing is sent to it until it is enabled again. What waits for it waits on; what happens meanwhile is not kept for it."
      }
      submit={enables ? "Enable" : "Disable"}
      done={enables ? "Endpoint enabled" : "Endpoint disabled"}
      onDone={onDone}
      act={(_, key) => call("webhooks", "update", { path: { webhook_id: webhookId }, payload: { status } }, { key })}
    />
  )
}
