/** French texts of hosted pages. */
import type { PageText } from "./English.ts"

export const french: PageText = {
  language: "fr",
  direction: "ltr",
  groupSeparator: "\u202f",
  decimalSeparator: ",",
  colon: "\u00a0:",
  testMode: "Mode test : aucun argent n’est transféré.",
  securedBy: "Page de paiement Corridor",
  paymentTo: "Paiement à",
  description: "Description",
  reference: "Référence",
  checkTitle: "Confirmez votre paiement",
  checkText: "Veuillez vérifier les informations avant de payer.",
  pay: (amount) => `Payer ${amount}`,
  cancel: "Annuler",
  cardTitle: "Payer par carte",
  cardText: "Les données de votre carte sont transmises au prestataire de paiement et ne sont pas conservées ici.",
  cardElsewhere: "Vous saisissez votre carte sur la page suivante, chez le prestataire de paiement.",
  cardFields: {
    number: "Numéro de carte",
    expiry: "Date d’expiration",
    cvv: "Code de sécurité",
    holder: "Nom sur la carte"
  },
  cardHints: { number: "", expiry: "MM/AA", cvv: "3 ou 4 chiffres", holder: "" },
  cardProblems: {
    number: "Vérifiez le numéro de carte : un chiffre manque ou est erroné.",
    expiry: "Indiquez une date d’expiration future, par exemple 09/30.",
    cvv: "Indiquez les 3 ou 4 chiffres imprimés sur la carte.",
    holder: "Indiquez le nom tel qu’il figure sur la carte."
  },
  notNow:
    "Ce paiement ne peut pas être accepté pour le moment. Rien n’a été débité ; veuillez réessayer dans quelques minutes.",
  waitingTitle: "Votre paiement est en cours",
  waitingText: (merchant) =>
    `Cette page s’actualise d’elle-même et vous redirige dès que le résultat est connu. ${merchant} en sera informé même si vous la fermez. Ne payez pas une seconde fois.`,
  unpaidTitle: "Votre paiement n’est pas encore terminé",
  unpaidText:
    "Continuez sur la page du prestataire de paiement. Si vous venez d’y payer, patientez : cette page s’actualise d’elle-même.",
  completedTitle: "Paiement effectué",
  completedText: (merchant) => `Merci. ${merchant} en a été informé.`,
  failedTitle: "Paiement non abouti",
  failedText: (merchant) => `Le paiement n’a pas abouti. Pour réessayer, retournez chez ${merchant}.`,
  canceledTitle: "Paiement annulé",
  canceledText: (merchant) => `Ce paiement a été annulé. Pour payer, retournez chez ${merchant}.`,
  refundedTitle: "Paiement remboursé",
  refundedText: (merchant) => `${merchant} vous a remboursé ce paiement.`,
  leavingText: (merchant) => `Vous êtes redirigé vers ${merchant}.`,
  continue: "Continuer",
  closeThis: "Vous pouvez fermer cette page.",
  notFoundTitle: "Page introuvable",
  notFoundText:
    "Ce lien de paiement n’est pas valable. Vérifiez que vous avez ouvert le lien en entier, ou demandez à la personne qui vous l’a envoyé.",
  refusedTitle: "Formulaire non valable",
  refusedText: "Rien n’a été débité. Revenez à la page de paiement et réessayez.",
  ownName: "Français",
  languageLabel: "Langue",
  behind: (organization) => `Versé à ${organization}`,
  receives: (merchant) => `${merchant} reçoit`,
  date: "Date",
  paidBy: "Payé par",
  methodNames: { mobile_money: "Mobile money", card: "Carte", bank_transfer: "Virement" },
  backTo: (merchant) => `Retour chez ${merchant}`,
  mailReceipt: "Recevoir ce reçu par e-mail",
  receiptSent: (address) => `Reçu envoyé à ${address}.`,
  receiptFailed: "Le reçu n’a pas pu être envoyé. Veuillez réessayer dans une minute.",
  receiptSubject: (amount, merchant) => `Reçu : ${amount} à ${merchant}`,
  receiptText: (amount, merchant) => `Vous avez payé ${amount} à ${merchant}.`,
  link: {
    title: "Comment souhaitez-vous payer ?",
    methodsLabel: "Moyen de paiement",
    fields: {
      amount: "Montant",
      name: "Votre nom",
      email: "E-mail",
      phone: "Numéro de téléphone",
      network: "Opérateur",
      bank_name: "Votre banque",
      account_number: "Votre numéro de compte"
    },
    emailOptional: "Facultatif, pour le reçu",
    mobilePhone: "Numéro mobile money",
    payerAccount: "Titulaire du compte",
    amountHint: (currency) => `En ${currency}`,
    mobilePhoneHint: "Vous confirmez le paiement sur ce téléphone",
    problems: {
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
    rateFor: (rate, minutes) =>
      minutes < 1
        ? `${rate}, pendant moins d’une minute`
        : `${rate}, pendant ${minutes} ${minutes === 1 ? "minute" : "minutes"}`,
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
}
