/** Portuguese texts of hosted pages, as written in Africa and Europe. */
import type { PageText } from "./English.ts"

export const portuguese: PageText = {
  language: "pt",
  direction: "ltr",
  groupSeparator: "\u00a0",
  decimalSeparator: ",",
  colon: ":",
  testMode: "Modo de teste: nenhum dinheiro é movimentado.",
  securedBy: "Página de pagamento Corridor",
  paymentTo: "Pagamento a",
  description: "Descrição",
  reference: "Referência",
  checkTitle: "Confirme o seu pagamento",
  checkText: "Verifique os dados antes de pagar.",
  pay: (amount) => `Pagar ${amount}`,
  cancel: "Cancelar",
  cardTitle: "Pagar com cartão",
  cardText: "Os dados do seu cartão são enviados ao prestador de pagamentos e não são guardados aqui.",
  cardElsewhere: "Introduz o cartão na página seguinte, no prestador de pagamentos.",
  cardFields: {
    number: "Número do cartão",
    expiry: "Validade",
    cvv: "Código de segurança",
    holder: "Nome no cartão"
  },
  cardHints: { number: "", expiry: "MM/AA", cvv: "3 ou 4 dígitos", holder: "" },
  cardProblems: {
    number: "Verifique o número do cartão: falta um dígito ou há um errado.",
    expiry: "Introduza uma validade futura, por exemplo 09/30.",
    cvv: "Introduza os 3 ou 4 dígitos impressos no cartão.",
    holder: "Introduza o nome tal como está no cartão."
  },
  notNow: "De momento não é possível pagar. Nada foi cobrado. Tente novamente dentro de alguns minutos.",
  waitingTitle: "O seu pagamento está a ser processado",
  waitingText: (merchant) =>
    `Esta página atualiza-se sozinha e continua quando o resultado for conhecido. ${merchant} será informado mesmo que a feche. Não pague novamente.`,
  unpaidTitle: "O seu pagamento ainda não está concluído",
  unpaidText:
    "Continue para a página do prestador de pagamentos. Se acabou de pagar lá, aguarde: esta página atualiza-se sozinha.",
  completedTitle: "Pagamento concluído",
  completedText: (merchant) => `Obrigado. ${merchant} foi informado.`,
  failedTitle: "Pagamento não concluído",
  failedText: (merchant) => `O pagamento não foi efetuado. Para tentar novamente, volte a ${merchant}.`,
  canceledTitle: "Pagamento cancelado",
  canceledText: (merchant) => `Este pagamento foi cancelado. Para pagar, volte a ${merchant}.`,
  refundedTitle: "Pagamento reembolsado",
  refundedText: (merchant) => `${merchant} reembolsou este pagamento.`,
  leavingText: (merchant) => `Está a ser encaminhado para ${merchant}.`,
  continue: "Continuar",
  closeThis: "Pode fechar esta página.",
  notFoundTitle: "Página não encontrada",
  notFoundText: "Esta ligação de pagamento não é válida. Verifique se está completa ou peça uma nova a quem a enviou.",
  refusedTitle: "Formulário inválido",
  refusedText: "Nada foi cobrado. Volte à página de pagamento e tente novamente.",
  ownName: "Português",
  languageLabel: "Idioma",
  behind: (organization) => `Pago a ${organization}`,
  receives: (merchant) => `${merchant} recebe`,
  date: "Data",
  paidBy: "Pago por",
  methodNames: { mobile_money: "Dinheiro móvel", card: "Cartão", bank_transfer: "Transferência bancária" },
  backTo: (merchant) => `Voltar a ${merchant}`,
  mailReceipt: "Enviar-me este recibo por e-mail",
  receiptSent: (address) => `Recibo enviado para ${address}.`,
  receiptFailed: "Não foi possível enviar o recibo. Tente novamente dentro de um minuto.",
  receiptSubject: (amount, merchant) => `Recibo: ${amount} a ${merchant}`,
  receiptText: (amount, merchant) => `Pagou ${amount} a ${merchant}.`,
  link: {
    title: "Como deseja pagar?",
    methodsLabel: "Meio de pagamento",
    fields: {
      amount: "Montante",
      name: "O seu nome",
      email: "E-mail",
      phone: "Número de telefone",
      network: "Operadora",
      bank_name: "O seu banco",
      account_number: "O seu número de conta"
    },
    emailOptional: "Opcional, para o recibo",
    mobilePhone: "Número de dinheiro móvel",
    payerAccount: "Titular da conta",
    amountHint: (currency) => `Em ${currency}`,
    mobilePhoneHint: "Confirma o pagamento neste telefone",
    problems: {
      amount: "Introduza um montante superior a zero, por exemplo 1500,00.",
      name: "Introduza um nome.",
      email: "Introduza um endereço de e-mail, por exemplo ada@example.com.",
      phone: "Introduza um número com o indicativo do país, por exemplo +258841234567, ou no formato local.",
      network: "Escolha a operadora do seu telefone.",
      bank_name: "Introduza o nome do banco a partir do qual paga.",
      account_number: "Introduza o número da conta a partir da qual paga."
    },
    choose: "Escolha",
    checkFields: "Nada foi cobrado. Verifique os campos assinalados.",
    repriced: (amount) =>
      `A taxa de câmbio mudou: o montante é agora de ${amount}. Nada foi cobrado. Verifique o montante e pague novamente.`,
    noRoute: "De momento este meio não aceita este montante. Nada foi cobrado. Tente outro montante ou outro meio.",
    promptedTooOften:
      "Foram enviados demasiados pedidos de pagamento para este número. Nada foi cobrado. Tente mais tarde ou pague de outra forma.",
    slowDown: "Demasiadas tentativas. Nada foi cobrado. Aguarde um minuto e tente novamente.",
    payChosen: "Pagar",
    rate: "Taxa de câmbio",
    rateFor: (rate, minutes) =>
      minutes < 1
        ? `${rate}, durante menos de um minuto`
        : `${rate}, durante ${minutes} ${minutes === 1 ? "minuto" : "minutos"}`,
    waitingText: (merchant) =>
      `Esta página atualiza-se sozinha. ${merchant} será informado mesmo que a feche. Não pague novamente.`,
    againText: "O pagamento não foi efetuado. Pode tentar novamente ou pagar de outra forma.",
    canceledText: "Este pagamento foi cancelado. Pode tentar novamente ou pagar de outra forma.",
    again: "Tentar novamente",
    otpTitle: "Introduza o código",
    otpText: "O prestador de pagamentos enviou um código de utilização única para o seu telefone.",
    otp: "Código de utilização única",
    otpProblem: "Código errado. Após 5 tentativas o pagamento é cancelado.",
    otpSend: "Confirmar",
    otpResend: "Enviar um novo código",
    transferTitle: "Faça a transferência",
    transferText:
      "Envie exatamente este montante para a conta abaixo, com a referência. Esta página atualiza-se sozinha.",
    instructions: {
      account_name: "Titular",
      account_number: "Número de conta",
      bank_name: "Banco",
      bank_code: "Código do banco",
      reference: "Referência",
      expires_at: "Pagar até"
    },
    onwardTitle: "Mais um passo",
    onwardText: "Está a ser encaminhado para confirmar o pagamento.",
    takenTitle: "Pagamento em curso",
    takenText: "Esta ligação aceita um pagamento de cada vez. Se iniciou este pagamento, continue no mesmo navegador.",
    takenUntil: (time) => `Se o pagamento não for concluído, a ligação pode voltar a ser usada a partir de ${time}.`,
    cancelRefused: "O pagamento já não pode ser cancelado. Aguarde o resultado.",
    resentTooOften: "Foram enviados demasiados códigos. Use o último ou tente novamente dentro de uma hora.",
    closed: {
      paid: { title: "Já pago", text: "Esta ligação de pagamento já foi paga." },
      canceled: {
        title: "Já não está disponível",
        text: "Esta ligação de pagamento foi cancelada. Para pagar, peça uma nova a quem a enviou."
      },
      expired: { title: "Esta ligação expirou", text: "Para pagar, peça uma nova a quem a enviou." }
    },
    notNowTitle: "Indisponível de momento"
  }
}
