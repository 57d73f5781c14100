/** Everything that happens to payments, over whichever providers there are. */
import { Layer } from "effect"
import { Actions } from "./actions/Actions.ts"
import { Cancel } from "./actions/Cancel.ts"
import { Otp } from "./actions/Otp.ts"
import { Callbacks } from "./callbacks/Callbacks.ts"
import { Enquiries } from "./callbacks/Enquiries.ts"
import { Resume } from "./callbacks/Resume.ts"
import { CheckoutUrl } from "./route/ProviderOrder.ts"
import { Dispatch } from "./dispatch/Dispatch.ts"
import { Settling } from "./dispatch/Settling.ts"
import { CreateAndDispatch } from "./initiate/CreateAndDispatch.ts"
import { Initiation } from "./initiate/Initiation.ts"
import { PhonePrompts } from "./prompts/PhonePrompts.ts"
import { Ramps } from "./ramps/Ramps.ts"
import { CustomerPayments } from "./read/CustomerPayments.ts"
import { PaymentDecisions } from "./read/PaymentDecisions.ts"
import { PaymentCommand } from "./settlement/PaymentCommand.ts"
import { RecordOutcome } from "./settlement/RecordOutcome.ts"
import { Refunds } from "./settlement/Refunds.ts"
import { CardWaits } from "./review/CardWaits.ts"
import { HeldRate } from "./review/HeldRate.ts"
import { Review } from "./review/Review.ts"
import { ReviewThreshold } from "./review/ReviewThreshold.ts"
import { PaymentRouter } from "./route/PaymentRouter.ts"
import { Resolution } from "./settlement/Resolution.ts"

export const PaymentsLive = Layer.mergeAll(
  Actions.layer.pipe(Layer.provide([Cancel.layer, Otp.layer, Refunds.layer, Review.layer])),
  Callbacks.layer,
  CardWaits.layer,
  Enquiries.layer,
  Initiation.layer.pipe(Layer.provide(CreateAndDispatch.layer)),
  Ramps.layer,
  PaymentDecisions.layer,
  Resolution.layer,
  Resume.layer
).pipe(
  Layer.provideMerge(Settling.layer),
  Layer.provideMerge(Dispatch.layer),
  Layer.provideMerge(RecordOutcome.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      CustomerPayments.layer,
      CheckoutUrl.layer,
      HeldRate.layer,
      PaymentCommand.layer,
      PaymentRouter.layer,
      PhonePrompts.layer,
      ReviewThreshold.layer
    )
  )
)
