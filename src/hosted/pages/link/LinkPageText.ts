/** Texts of payment link pages in English and French, besides those of the checkout. */
import type { LinkMethod } from "../../links/LinkVisit.ts"
import { english as pageEnglish, french as pageFrench, type PageText } from "../PageText.ts"
import type { LinkField } from "./LinkForm.ts"

/** Bank transfer instructions in display order. */
export const instructionNames = [
  "account_name",
  "account_number",
  "bank_name",
  "bank_code",
  "reference",
  "expires_at"
] as const
type Instruction = (typeof instructionNames)[number]

const english = {
  title: "How would you like to pay?",
  methodsLabel: "Payment method",
  methods: { mobile_money: "Mobile money", card: "Card", bank_transfer: "Bank transfer" } satisfies Readonly<
    Record<LinkMethod, string>
  >,
  fields: {
    ...pageEnglish.cardFields,
    amount: "Amount",
    name: "Your name",
    email: "E-mail",
    phone: "Phone number",
    network: "Network",
    bank_name: "Your bank",
    account_number: "Your account number"
  } satisfies Readonly<Record<LinkField, string>>,
  mobilePhone: "Mobile money number",
  payerAccount: "Name on the account",
  amountHint: (currency: string) => `In ${currency}`,
  mobilePhoneHint: "You confirm the payment on this phone",
  problems: {
    ...pageEnglish.cardProblems,
    amount: "Enter an amount above zero, such as 1500.00.",
    name: "Enter a name.",
    email: "Enter an e-mail address, such as ada@example.com.",
    phone: "Enter a phone number with country code, such as +254712345678, or in local format.",
    network: "Choose the network of your phone.",
    bank_name: "Enter the name of the bank that you pay from.",
    account_number: "Enter the number of the account that you pay from."
  } satisfies Readonly<Record<LinkField, string>>,
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
  rateUntil: "Price valid until",
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
  } satisfies Readonly<Record<Instruction, string>>,
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

export type LinkPageText = Readonly<typeof english>

const french: LinkPageText = {
  title: "Comment souhaitez-vous payer ?",
  methodsLabel: "Moyen de paiement",
  methods: { mobile_money: "Mobile money", card: "Carte", bank_transfer: "Virement" },
  fields: {
    ...pageFrench.cardFields,
    amount: "Montant",
    name: "Votre nom",
    email: "E-mail",
    phone: "Numéro de téléphone",
    network: "Opérateur",
    bank_name: "Votre banque",
    account_number: "Votre numéro de compte"
  },
  mobilePhone: "Numéro mobile money",
  payerAccount: "Titulaire du compte",
  amountHint: (currency) => `En ${currency}`,
  mobilePhoneHint: "Vous confirmez le paiement sur ce téléphone",
  problems: {
    ...pageFrench.cardProblems,
    amount: "Indiquez un montant supérieur à zéro, par exemple 1500,00.",
    name: "Indiquez un nom.",
    email: "Indiquez une adresse e-mail, par exemple ada@example.com.",
    phone:
      "Indiquez un numéro avec l’indicatif du pays, par exemple +254712345678, ou tel que vous le composez chez vous.",
    network: "Choisissez l’opérateur de votre téléphone.",
    bank_name: "Indiquez le nom de la banque depuis laquelle vous payez.",
    account_number: "Indiquez le numéro du compte depuis lequel vous payez."
  },
  choose: "Choisissez",
  checkFields: "Rien n’a encore été débité. Veuillez vérifier les champs signalés.",
  repriced: (amount) =>
    `Le taux de change a évolué, et le montant est désormais de ${amount}. Rien n’a encore été débité ; veuillez le vérifier et payer à nouveau.`,
  noRoute:
    "Ce montant ne peut pas être payé ainsi pour le moment. Rien n’a été débité ; essayez un autre montant ou un autre moyen.",
  promptedTooOften:
    "Ce numéro a reçu trop de demandes de paiement. Rien n’a été débité ; réessayez plus tard ou payez autrement.",
  slowDown: "Trop de tentatives. Rien n’a été débité. Veuillez patienter une minute et réessayer.",
  payChosen: "Payer",
  rate: "Taux de change",
  rateUntil: "Prix garanti jusqu’au",
  waitingText: (merchant) =>
    `Cette page s’actualise d’elle-même. ${merchant} en sera informé même si vous la fermez. Ne payez pas une seconde fois.`,
  againText: "Le paiement n’a pas abouti. Vous pouvez réessayer ou payer autrement.",
  canceledText: "Ce paiement a été annulé. Vous pouvez réessayer ou payer autrement.",
  again: "Réessayer",
  otpTitle: "Saisissez le code",
  otpText: "Votre prestataire de paiement a envoyé un code à usage unique sur votre téléphone.",
  otp: "Code à usage unique",
  otpProblem: "Code incorrect. Après 5 tentatives, le paiement est annulé.",
  otpSend: "Confirmer",
  otpResend: "Recevoir un nouveau code",
  transferTitle: "Effectuez le virement",
  transferText:
    "Envoyez exactement ce montant sur le compte ci-dessous, avec la référence. Cette page s’actualise d’elle-même.",
  instructions: {
    account_name: "Titulaire",
    account_number: "Numéro de compte",
    bank_name: "Banque",
    bank_code: "Code banque",
    reference: "Référence",
    expires_at: "À payer avant"
  },
  onwardTitle: "Encore une étape",
  onwardText: "Vous êtes dirigé vers la page sur laquelle vous confirmez le paiement.",
  takenTitle: "Un paiement est en cours",
  takenText:
    "Ce lien est en cours de paiement et n’accepte qu’un paiement à la fois. Si vous avez commencé ce paiement, continuez dans le même navigateur.",
  takenUntil: (time) => `S’il n’est pas payé, le lien sera de nouveau libre le ${time}.`,
  cancelRefused: "Le paiement ne peut plus être annulé. Veuillez attendre son résultat.",
  resentTooOften: "Trop de codes ont été envoyés. Utilisez le dernier, ou réessayez dans une heure.",
  closed: {
    paid: { title: "Déjà payé", text: "Ce lien de paiement a été réglé. Vous n’avez plus rien à faire." },
    canceled: {
      title: "Lien retiré",
      text: "Ce lien de paiement n’est plus disponible. Si vous souhaitez toujours payer, demandez-en un autre à la personne qui vous l’a envoyé."
    },
    expired: {
      title: "Ce lien a expiré",
      text: "Il ne peut plus être payé. Si vous souhaitez toujours payer, demandez-en un autre à la personne qui vous l’a envoyé."
    }
  },
  notNowTitle: "Indisponible pour le moment"
}

export const linkPageText = ({ language }: PageText): LinkPageText => (language === "fr" ? french : english)
