/** Two documents to render: one from an `HttpApi` as the service makes them, one by hand with everything that is rare. */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, HttpApiSecurity, OpenApi } from "@effect/platform"
import { HttpApiMiddleware } from "@effect/platform"
import { Schema } from "effect"
import { LosslessNumber } from "lossless-json"
import type { OpenApiDocument } from "../../../src/contract/docs/OpenApiDocument.ts"

class Credentials extends HttpApiMiddleware.Tag<Credentials>()("test/Credentials", {
  security: { apiKey: HttpApiSecurity.apiKey({ key: "X-Api-Key" }) }
}) {}

const Payment = Schema.Struct({
  payment_id: Schema.UUID,
  status: Schema.Literal("pending", "completed", "failed"),
  note: Schema.NullOr(Schema.String)
}).annotations({ identifier: "Payment", description: "A payment, as its record has it." })

const Problem = Schema.Struct({ status: Schema.Literal("error"), message: Schema.String }).annotations({
  identifier: "Problem"
})

export const api = HttpApi.make("sample")
  .add(
    HttpApiGroup.make("payments")
      .add(
        HttpApiEndpoint.post("create", "/payments")
          .setPayload(
            Schema.Struct({
              amount: Schema.Number.annotations({ description: "Source amount" }),
              reference: Schema.optional(Schema.String.pipe(Schema.maxLength(40)))
            })
          )
          .addSuccess(Payment, { status: 201 })
          .addError(Problem, { status: 400 })
          .annotate(OpenApi.Summary, "Create a payment")
          .annotate(OpenApi.Description, "Creates it.\n\nWho may call it: `staff` and above.")
      )
      .add(
        HttpApiEndpoint.get("read")`/payments/${HttpApiSchema.param("payment_id", Schema.UUID)}`
          .addSuccess(Payment)
          .annotate(OpenApi.Summary, "Read a payment")
      )
      .middleware(Credentials)
      .annotate(OpenApi.Title, "Payments")
      .annotate(OpenApi.Description, "Money in and out.")
  )
  .add(
    HttpApiGroup.make("health")
      .add(HttpApiEndpoint.get("ready", "/readyz").addSuccess(Schema.String).annotate(OpenApi.Summary, "Readiness"))
      .annotate(OpenApi.Title, "Health")
  )
  .annotate(OpenApi.Title, "Sample")
  .annotate(OpenApi.Version, "1.0")
  .annotate(OpenApi.Servers, [{ url: "https://api.example.com", description: "Production" }])

const description = `Moves money behind **one** JSON API. See [the guide](https://example.com/guide).

## Authentication

Every request carries two headers; the one not used holds the literal \`NONE\`.

| Header | API key | Token |
|---|---|---|
| \`Authorization\` | \`NONE\` | \`Bearer <JWT>\` |
| \`X-Api-Key\` | \`<API key>\` | \`NONE\` |

## Errors

1. The \`status\` is \`error\`.
2. The \`message\` names
   the field, and
   - what is wrong
   - what to change

\`\`\`json
{ "status": "error", "message": "amount: must be above zero" }
\`\`\`

## Pagination

- \`limit\` from 1 to 100
- \`last_evaluated_key\` of the page before
`

const error = (message: string) => ({
  description: "The request is wrong; the message names the field",
  content: {
    "application/json": { schema: { $ref: "#/components/schemas/Error" }, example: { status: "error", message } }
  }
})

export const handmade: OpenApiDocument = {
  openapi: "3.1.0",
  info: {
    title: "Corridor",
    version: "1.0",
    summary: "Payins, payouts and crypto ramps in many countries.",
    description,
    license: { name: "Apache-2.0" }
  },
  servers: [
    { url: "https://api.example.com/v1/", description: "Production" },
    { url: "http://127.0.0.1:{port}/v1", description: "Development", variables: { port: { default: "3000" } } }
  ],
  security: [{ apiKey: [], bearer: [] }],
  tags: [
    { name: "Payments", description: "Money in and out, with `fallbacks`." },
    { name: "Unused" },
    { name: "Organisations", description: "Who takes part." }
  ],
  paths: {
    "/payments-init/initiate": {
      post: {
        operationId: "payments.initiate",
        tags: ["Payments"],
        summary: "Initiate a payment",
        description: `Routes the payment to the first provider that accepts it.

An outcome that is not known is answered with \`pending\` and never sent to another provider.

Who may call it: any valid credential for payins; \`staff\` and above for payouts.`,
        parameters: [
          { $ref: "#/components/parameters/IdempotencyKey" },
          {
            name: "mode",
            in: "query",
            required: true,
            schema: { type: "string", enum: ["fast", "cheap"], default: "fast" },
            description: "How to choose among `providers`."
          }
        ],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/Initiation" },
              examples: {
                card: {
                  summary: "A card that isn't declined",
                  value: {
                    amount: new LosslessNumber("1500.00"),
                    currency: "KES",
                    payment_method: "card",
                    description: "Ada's order"
                  }
                },
                mobile: { summary: "Mobile money", value: { amount: 20, currency: "UGX" } }
              }
            }
          }
        },
        responses: {
          "200": {
            description: "Accepted by a provider, or not known yet",
            headers: {
              "X-Request-Id": { description: "Yours, if you sent one", schema: { type: "string" } }
            },
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  required: ["status", "data"],
                  properties: {
                    status: { type: "string", const: "success" },
                    data: { $ref: "#/components/schemas/Payment" }
                  }
                },
                example: { status: "success", data: { payment_id: "01956f3a-7c1e-7b52-9d3e-0f6a4c2b8e11" } }
              }
            }
          },
          "400": error("amount: must be above zero"),
          "401": error("Credentials are missing or not valid"),
          "502": error("Every provider declined")
        }
      }
    },
    "/organizations/{org_id}/a-rather-long-path-segment/{member_id}/permissions/{permission}": {
      parameters: [{ name: "org_id", in: "path", required: true, example: "org/1", schema: { type: "string" } }],
      delete: {
        operationId: "organizations.revoke",
        tags: ["Organisations"],
        summary: "Revoke a permission",
        deprecated: true,
        parameters: [
          { name: "member_id", in: "path", required: true, schema: { type: "string", format: "uuid" } },
          { name: "permission", in: "path", required: true, schema: { type: "string", minLength: 1, maxLength: 32 } }
        ],
        responses: { "204": { description: "Revoked" }, "404": error("No such member") }
      }
    },
    "/readyz": { get: { security: [], responses: { "200": { description: "Ready" } } } }
  },
  components: {
    schemas: {
      Error: {
        type: "object",
        required: ["status", "message"],
        properties: { status: { const: "error" }, message: { type: "string", description: "What to change" } }
      },
      Initiation: {
        type: "object",
        required: ["amount", "currency"],
        properties: {
          amount: { type: "number", exclusiveMinimum: 0, description: "Source amount, exact." },
          currency: { type: "string", pattern: "^[A-Z]{3}$", description: "ISO 4217 code." },
          payment_method: { type: "string", enum: ["mobile_money", "bank_transfer", "card"] },
          description: { type: ["string", "null"], maxLength: 255 },
          card_details: {
            anyOf: [{ $ref: "#/components/schemas/Card" }, { type: "null" }],
            description: "Required when `payment_method` is `card`."
          },
          destination: {
            oneOf: [
              { $ref: "#/components/schemas/Card" },
              { type: "object", title: "Wallet", properties: { address: { type: "string" } } }
            ]
          },
          metadata: { type: "object", additionalProperties: { type: "string" } }
        }
      },
      Card: {
        type: "object",
        required: ["card_number"],
        properties: { card_number: { type: "string", minLength: 13, maxLength: 19 }, cvv: { type: "string" } }
      },
      Payment: {
        allOf: [
          { type: "object", required: ["payment_id"], properties: { payment_id: { type: "string", format: "uuid" } } },
          {
            type: "object",
            properties: {
              refunds: { type: "array", items: { $ref: "#/components/schemas/Payment" } },
              parent: { anyOf: [{ $ref: "#/components/schemas/Payment" }, { type: "null" }] }
            }
          }
        ]
      },
      Loop: { $ref: "#/components/schemas/Loop" },
      Forest: { type: "array", items: { $ref: "#/components/schemas/Forest" } }
    },
    ...{
      parameters: {
        IdempotencyKey: {
          name: "Idempotency-Key",
          in: "header",
          required: false,
          schema: { type: "string", minLength: 1, maxLength: 255 },
          description: "Makes a repeated call safe."
        }
      }
    }
  }
}
