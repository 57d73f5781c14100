import { LosslessNumber } from "lossless-json"
import { call } from "../../api/Api.ts"
import { Task } from "../../parts/Task.tsx"

/** The service sends it to all of them: it stands above them, and not at any one. */
export const SendTest = ({ org }: { readonly org: string }) => (
  <Task
    name="Send a test to all endpoints"
    title="Send a test event to all endpoints"
    says="Sends transaction.updated with made-up data, marked as a test, to every active endpoint of the organisation."
    submit="Send"
    done="Test event sent"
    act={(_, key) =>
      call(
        "webhookLog",
        "notify",
        {
          payload: {
            org_id: org,
            transaction_data: {
              transaction_id: "test-from-the-console",
              status: "completed",
              amount: new LosslessNumber("1500.50"),
              currency: "KES",
              updated_at: new Date().toISOString()
            }
          }
        },
        { key }
      )
    }
  />
)
