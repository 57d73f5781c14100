/** The whole contract. It holds no implementation: the server interprets it, the typed client and the reference read it. */
import { HttpApi, OpenApi } from "@effect/platform"
import { ApiKeysApi } from "./ApiKeys.ts"
import { AuditLogApi } from "./AuditLog.ts"
import { BeneficiariesApi } from "./Beneficiaries.ts"
import { BadRequest, Forbidden, InternalError, TooManyRequests, Unauthorized } from "./Errors.ts"
import { introduction } from "./Introduction.ts"
import { NetworksApi } from "./Networks.ts"
import { PaymentsApi } from "./Payments.ts"
import { PaymentsInitApi } from "./PaymentsInit.ts"
import { ProviderConfigsApi } from "./ProviderConfigs.ts"
import { RatesApi } from "./Rates.ts"
import { WebhookLogApi } from "./WebhookLog.ts"
import { WebhooksApi } from "./Webhooks.ts"

export const Api = HttpApi.make("corridor")
  .add(ApiKeysApi)
  .add(AuditLogApi)
  .add(BeneficiariesApi)
  .add(RatesApi)
  .add(NetworksApi)
  .add(PaymentsInitApi)
  .add(PaymentsApi)
  .add(ProviderConfigsApi)
  .add(WebhooksApi)
  .add(WebhookLogApi)
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(TooManyRequests)
  .addError(InternalError)
  .prefix("/v1")
  .annotate(OpenApi.Title, "Corridor")
  .annotate(OpenApi.Version, "1.0")
  .annotate(OpenApi.License, { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" })
  .annotate(OpenApi.Description, introduction)
