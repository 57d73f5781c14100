/** English texts of hosted pages. The other languages have the same shape. */
export type Language = "en" | "fr" | "sw" | "pt" | "ar" | "ha"

export const english = {
  language: "en" as Language,
  direction: "ltr" as "ltr" | "rtl",
  groupSeparator: ",",
  decimalSeparator: ".",
  /** Between a label and its value. */
  colon: ":",
  testMode: "Test mode: no money moves.",
  securedBy: "Payment page by Corridor",
  paymentTo: "Payment to",
  description: "Description",
  reference: "Reference",
  checkTitle: "Confirm your payment",
  checkText: "Please check the details before you pay.",
  pay: (amount: string) => `Pay ${amount}`,
  cancel: "Cancel",
  cardTitle: "Pay by card",
  cardText: "Your card details go to the payment provider and are not kept here.",
  cardElsewhere: "You enter your card on the next page, at the payment provider.",
  cardFields: { number: "Card number", expiry: "Expiry date", cvv: "Security code", holder: "Name on card" },
  cardHints: { number: "", expiry: "MM/YY", cvv: "3 or 4 digits", holder: "" },
  cardProblems: {
    number: "Check the card number: a digit is missing or wrong.",
    expiry: "Enter an expiry date in the future, such as 09/30.",
    cvv: "Enter the 3 or 4 digits printed on the card.",
    holder: "Enter the name as it is on the card."
  },
  notNow: "Payment is not possible at the moment. Nothing was charged. Please try again in a few minutes.",
  waitingTitle: "Your payment is being processed",
  waitingText: (merchant: string) =>
    `This page updates by itself and continues once the result is known. ${merchant} is notified even if you close it. Please do not pay again.`,
  unpaidTitle: "Your payment is not complete yet",
  unpaidText:
    "Continue to the page of the payment provider. If you have just paid there, wait: this page updates by itself.",
  completedTitle: "Payment complete",
  completedText: (merchant: string) => `Thank you. ${merchant} has been notified.`,
  failedTitle: "Payment not completed",
  failedText: (merchant: string) => `The payment did not go through. To try again, go back to ${merchant}.`,
  canceledTitle: "Payment cancelled",
  canceledText: (merchant: string) => `This payment was cancelled. To pay, go back to ${merchant}.`,
  refundedTitle: "Payment refunded",
  refundedText: (merchant: string) => `${merchant} has refunded this payment.`,
  leavingText: (merchant: string) => `You are being redirected to ${merchant}.`,
  continue: "Continue",
  closeThis: "You can close this page.",
  notFoundTitle: "Page not found",
  notFoundText: "This payment link is not valid. Check that the link is complete, or ask the sender for a new one.",
  refusedTitle: "Invalid form",
  refusedText: "Nothing was charged. Go back to the payment page and try again.",
  /** The language's own name. */
  ownName: "English",
  languageLabel: "Language",
  behind: (organization: string) => `Paid to ${organization}`,
  receives: (merchant: string) => `${merchant} receives`,
  date: "Date",
  paidBy: "Paid by",
  methodNames: { mobile_money: "Mobile money", card: "Card", bank_transfer: "Bank transfer" },
  backTo: (merchant: string) => `Back to ${merchant}`,
  mailReceipt: "E-mail me this receipt",
  receiptSent: (address: string) => `Receipt sent to ${address}.`,
  receiptFailed: "The receipt could not be sent. Please try again in a minute.",
  receiptSubject: (amount: string, merchant: string) => `Receipt: ${amount} to ${merchant}`,
  receiptText: (amount: string, merchant: string) => `You paid ${amount} to ${merchant}.`,
  /** Pages of payment links. */
  link: {
    title: "How would you like to pay?",
    methodsLabel: "Payment method",
    fields: {
      amount: "Amount",
      name: "Your name",
      email: "E-mail",
      phone: "Phone number",
      network: "Network",
      bank_name: "Your bank",
      account_number: "Your account number"
    },
    emailOptional: "Optional, for the receipt",
    mobilePhone: "Mobile money number",
    payerAccount: "Name on the account",
    amountHint: (currency: string) => `In ${currency}`,
    mobilePhoneHint: "You confirm the payment on this phone",
    problems: {
      amount: "Enter an amount above zero, such as 1500.00.",
      name: "Enter a name.",
      email: "Enter an e-mail address, such as ada@example.com.",
      phone: "Enter a phone number with country code, such as +254712345678, or in local format.",
      network: "Choose the network of your phone.",
      bank_name: "Enter the name of the bank that you pay from.",
      account_number: "Enter the number of the account that you pay from."
    },
    choose: "Choose one",
    checkFields: "Nothing was charged. Please check the marked fields.",
    repriced: (amount: string) =>
      `The exchange rate has changed: the amount is now ${amount}. Nothing was charged. Please check the amount and pay again.`,
    noRoute: "This method cannot take this amount at the moment. Nothing was charged. Try another amount or method.",
    promptedTooOften:
      "Too many payment requests were sent to this phone number. Nothing was charged. Try again later, or pay another way.",
    slowDown: "Too many attempts. Nothing was charged. Please wait a minute and try again.",
    payChosen: "Pay",
    rate: "Exchange rate",
    /** The rate, and how long it holds. */
    rateFor: (rate: string, minutes: number) =>
      minutes < 1
        ? `${rate}, for less than a minute`
        : `${rate}, for ${minutes} ${minutes === 1 ? "minute" : "minutes"}`,
    waitingText: (merchant: string) =>
      `This page updates by itself. ${merchant} is notified even if you close it. Please do not pay again.`,
    againText: "The payment did not go through. You can try again or pay another way.",
    canceledText: "This payment was cancelled. You can try again or pay another way.",
    again: "Try again",
    otpTitle: "Enter the code",
    otpText: "Your payment provider sent a one-time code to your phone.",
    otp: "One-time code",
    otpProblem: "Wrong code. After 5 attempts the payment is cancelled.",
    otpSend: "Confirm",
    otpResend: "Send a new code",
    transferTitle: "Make the transfer",
    transferText: "Send exactly this amount to the account below, with the reference. This page updates by itself.",
    instructions: {
      account_name: "Account name",
      account_number: "Account number",
      bank_name: "Bank",
      bank_code: "Bank code",
      reference: "Reference",
      expires_at: "Pay before"
    },
    onwardTitle: "One more step",
    onwardText: "You are being redirected to confirm the payment.",
    takenTitle: "Payment in progress",
    takenText: "This link accepts one payment at a time. If you started this payment, continue in the same browser.",
    takenUntil: (time: string) => `If the payment is not completed, the link can be used again from ${time}.`,
    cancelRefused: "The payment can no longer be cancelled. Please wait for the result.",
    resentTooOften: "Too many codes were sent. Use the latest one, or try again in an hour.",
    closed: {
      paid: { title: "Already paid", text: "This payment link has been paid." },
      canceled: {
        title: "No longer available",
        text: "This payment link was cancelled. To pay, ask the sender for a new link."
      },
      expired: {
        title: "This link has expired",
        text: "To pay, ask the sender for a new link."
      }
    },
    notNowTitle: "Not available at the moment"
  }
}

export type PageText = Readonly<typeof english>
