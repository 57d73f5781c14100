import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { CountryCode } from "../../domain/Country.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { envelope } from "./Envelope.ts"
import { NotFound } from "./Errors.ts"
import { examples, operation } from "./Operation.ts"

export const Network = Schema.Struct({
  name: Schema.String,
  code: Schema.String,
  country: CountryCode,
  currency: CurrencyCode
}).annotations({ identifier: "Network" })

export const NetworksRequest = Schema.Struct({ country: CountryCode }).annotations({ identifier: "NetworksRequest" })

export const NetworksApi = HttpApiGroup.make("networks")
  .add(
    HttpApiEndpoint.post("list", "/externals/networks")
      .setPayload(NetworksRequest)
      .addSuccess(envelope(Schema.Array(Network)))
      .addError(NotFound)
      .pipe(
        operation({
          access: "any",
          summary: "List mobile money networks",
          description:
            "`mobile_money_details.provider` takes the `name` or the `code` of one of them, in any case. A country without any has an empty list.",
          request: examples({ Kenya: { country: "KE" }, "A country without networks": { country: "FR" } }),
          response: examples({
            Kenya: {
              status: "success",
              message: "Mobile money networks",
              data: [
                { name: "M-Pesa", code: "mpesa", country: "KE", currency: "KES" },
                { name: "Airtel Money", code: "airtel", country: "KE", currency: "KES" }
              ]
            },
            "A country without networks": { status: "success", message: "Mobile money networks", data: [] }
          })
        })
      )
  )
  .annotate(OpenApi.Title, "Mobile money networks")
  .annotate(OpenApi.Description, "Where mobile money is paid, by country.")
