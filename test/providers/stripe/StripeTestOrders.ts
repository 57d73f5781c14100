/** Orders for Stripe: one reference for all, until a test names another. */
import { type About, orderOf, referenceNo } from "../support/TestOrders.ts"

export const reference = referenceNo(1)

export const newOrder = (about: About = {}) => orderOf({ reference, ...about })
