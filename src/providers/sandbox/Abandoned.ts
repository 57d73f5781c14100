/** The reason with which a built-in rail fails a payment that its customer called off at the hosted checkout. */
export const ABANDONED = "The customer cancelled at the checkout"
