import { LosslessNumber } from "lossless-json"
import { call } from "../../api/Api.ts"
import { Task } from "../../parts/Task.tsx"
import type { Endpoint } from "./Endpoint.ts"

export const SendTest = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <Task
    name="Send a test"
    title="Send a test event"
    says="Sends transaction.updated with made-up data, marked as a test, to every active endpoint of the organisation."
    submit="Send"
    done="Test event sent"
    act={(_, key) =>
      call(
        "webhookLog",
        "notify",
        {
          payload: {
            org_id: endpoint.org_id,
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
