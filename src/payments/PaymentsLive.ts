/** Everything that happens to payments, besides their settlement. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { Layer } from "effect"
import { Actions, Cancel } from "./actions/Actions.ts"
import { Otp } from "./actions/Otp.ts"
import { Callbacks } from "./callbacks/Callbacks.ts"
import { StatusPoller } from "./callbacks/StatusPoller.ts"
import { CustomerRedirect } from "./callbacks/CustomerRedirect.ts"
import { CheckoutUrl } from "./route/BuildOrder.ts"
import { Dispatch } from "./dispatch/Dispatch.ts"
import { RampPayoutWorker } from "./dispatch/RampPayoutWorker.ts"
import { CreateAndDispatch } from "./initiate/CreateAndDispatch.ts"
import { Initiation } from "./initiate/Initiation.ts"
import { PhonePrompts } from "./prompts/PhonePrompts.ts"
import { Ramps } from "./ramps/Ramps.ts"
import { CustomerPayments } from "./read/Payments.ts"
import { PaymentCommand } from "./settlement/PaymentCommand.ts"
import { Refunds } from "./settlement/Refunds.ts"
import { ReserveReleases } from "./reserves/Reserves.ts"
import { CardWaits, Review } from "./review/Review.ts"
import { ReviewRate } from "./review/ReviewRate.ts"
import { ReviewThreshold } from "./review/ReviewThreshold.ts"
import { RuleCheck } from "./rules/RuleCheck.ts"
import { Screening } from "./rules/Screening.ts"

const RuleCheckLive = RuleCheck.layer.pipe(Layer.provide(Screening.layer), Layer.provide(FetchHttpClient.layer))

export const PaymentsLive = Layer.mergeAll(
  Actions.layer.pipe(Layer.provide([Cancel.layer, Otp.layer, Refunds.layer, Review.layer])),
  Callbacks.layer,
  CardWaits.layer,
  ReserveReleases.layer,
  StatusPoller.layer,
  Layer.mergeAll(Initiation.layer, Ramps.layer).pipe(Layer.provide(CreateAndDispatch.layer)),
  CustomerRedirect.layer
).pipe(
  Layer.provideMerge(RampPayoutWorker.layer),
  Layer.provideMerge(Dispatch.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      CustomerPayments.layer,
      CheckoutUrl.layer,
      ReviewRate.layer,
      PaymentCommand.layer,
      PhonePrompts.layer,
      ReviewThreshold.layer,
      RuleCheckLive
    )
  )
)
