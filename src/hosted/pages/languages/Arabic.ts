/** Arabic texts of hosted pages, right to left. Amounts and times keep Latin digits, as on statements and cards. */
import type { PageText } from "./English.ts"

export const arabic: PageText = {
  language: "ar",
  direction: "rtl",
  groupSeparator: ",",
  decimalSeparator: ".",
  colon: ":",
  testMode: "وضع الاختبار: لا تُنقل أي أموال.",
  securedBy: "صفحة دفع من Corridor",
  paymentTo: "الدفع إلى",
  description: "الوصف",
  reference: "المرجع",
  checkTitle: "تأكيد الدفع",
  checkText: "يرجى مراجعة التفاصيل قبل الدفع.",
  pay: (amount) => `ادفع ${amount}`,
  cancel: "إلغاء",
  cardTitle: "الدفع بالبطاقة",
  cardText: "تُرسل بيانات بطاقتك إلى مزوّد خدمة الدفع ولا تُحفظ هنا.",
  cardElsewhere: "تُدخل بيانات بطاقتك في الصفحة التالية لدى مزوّد خدمة الدفع.",
  cardFields: {
    number: "رقم البطاقة",
    expiry: "تاريخ الانتهاء",
    cvv: "رمز الأمان",
    holder: "الاسم على البطاقة"
  },
  cardHints: { number: "", expiry: "MM/YY", cvv: "3 أو 4 أرقام", holder: "" },
  cardProblems: {
    number: "تحقق من رقم البطاقة: هناك رقم ناقص أو خاطئ.",
    expiry: "أدخل تاريخ انتهاء في المستقبل، مثل \u206609/30\u2069.",
    cvv: "أدخل الأرقام الثلاثة أو الأربعة المطبوعة على البطاقة.",
    holder: "أدخل الاسم كما هو على البطاقة."
  },
  notNow: "لا يمكن الدفع في الوقت الحالي. لم يُخصم أي مبلغ. يرجى المحاولة مرة أخرى بعد بضع دقائق.",
  waitingTitle: "جارٍ تنفيذ الدفع",
  waitingText: (merchant) =>
    `تتحدث هذه الصفحة تلقائياً وتنتقل بك عند معرفة النتيجة. سيُبلَّغ \u2068${merchant}\u2069 حتى لو أغلقتها. يرجى عدم الدفع مرة أخرى.`,
  unpaidTitle: "لم يكتمل الدفع بعد",
  unpaidText: "تابع إلى صفحة مزوّد خدمة الدفع. إذا كنت قد دفعت هناك للتو فانتظر: تتحدث هذه الصفحة تلقائياً.",
  completedTitle: "تم الدفع",
  completedText: (merchant) => `شكراً لك. تم إبلاغ \u2068${merchant}\u2069.`,
  failedTitle: "لم يكتمل الدفع",
  failedText: (merchant) => `لم تنجح عملية الدفع. للمحاولة مرة أخرى ارجع إلى \u2068${merchant}\u2069.`,
  canceledTitle: "أُلغي الدفع",
  canceledText: (merchant) => `أُلغيت عملية الدفع هذه. للدفع ارجع إلى \u2068${merchant}\u2069.`,
  refundedTitle: "أُعيد المبلغ",
  refundedText: (merchant) => `أعاد \u2068${merchant}\u2069 مبلغ هذه العملية.`,
  leavingText: (merchant) => `يجري تحويلك إلى \u2068${merchant}\u2069.`,
  continue: "متابعة",
  closeThis: "يمكنك إغلاق هذه الصفحة.",
  notFoundTitle: "الصفحة غير موجودة",
  notFoundText: "رابط الدفع هذا غير صالح. تأكد من أن الرابط كامل، أو اطلب رابطاً جديداً ممن أرسله إليك.",
  refusedTitle: "نموذج غير صالح",
  refusedText: "لم يُخصم أي مبلغ. ارجع إلى صفحة الدفع وحاول مرة أخرى.",
  ownName: "العربية",
  languageLabel: "اللغة",
  behind: (organization) => `يُدفع إلى \u2068${organization}\u2069`,
  receives: (merchant) => `يستلم \u2068${merchant}\u2069`,
  date: "التاريخ",
  paidBy: "طريقة الدفع",
  methodNames: { mobile_money: "محفظة الهاتف", card: "بطاقة", bank_transfer: "تحويل مصرفي" },
  backTo: (merchant) => `العودة إلى \u2068${merchant}\u2069`,
  mailReceipt: "أرسل لي هذا الإيصال بالبريد الإلكتروني",
  receiptSent: (address) => `أُرسل الإيصال إلى \u2066${address}\u2069.`,
  receiptFailed: "تعذر إرسال الإيصال. يرجى المحاولة مرة أخرى بعد دقيقة.",
  receiptSubject: (amount, merchant) => `إيصال: ${amount} إلى \u2068${merchant}\u2069`,
  receiptText: (amount, merchant) => `دفعت ${amount} إلى \u2068${merchant}\u2069.`,
  link: {
    title: "كيف تود أن تدفع؟",
    methodsLabel: "طريقة الدفع",
    fields: {
      amount: "المبلغ",
      name: "اسمك",
      email: "البريد الإلكتروني",
      phone: "رقم الهاتف",
      network: "الشبكة",
      bank_name: "مصرفك",
      account_number: "رقم حسابك"
    },
    emailOptional: "اختياري، للإيصال",
    mobilePhone: "رقم محفظة الهاتف",
    payerAccount: "اسم صاحب الحساب",
    amountHint: (currency) => `بعملة ${currency}`,
    mobilePhoneHint: "ستؤكد الدفع على هذا الهاتف",
    problems: {
      amount: "أدخل مبلغاً أكبر من الصفر، مثل 1500.00.",
      name: "أدخل اسماً.",
      email: "أدخل عنوان بريد إلكتروني، مثل \u2066ada@example.com\u2069.",
      phone: "أدخل رقم هاتف مع رمز الدولة، مثل \u2066+254712345678\u2069، أو بالصيغة المحلية.",
      network: "اختر شبكة هاتفك.",
      bank_name: "أدخل اسم المصرف الذي تدفع منه.",
      account_number: "أدخل رقم الحساب الذي تدفع منه."
    },
    choose: "اختر",
    checkFields: "لم يُخصم أي مبلغ. يرجى مراجعة الحقول المحددة.",
    repriced: (amount) =>
      `تغير سعر الصرف: أصبح المبلغ ${amount}. لم يُخصم أي مبلغ. يرجى مراجعة المبلغ ثم الدفع من جديد.`,
    noRoute: "لا تقبل هذه الطريقة هذا المبلغ حالياً. لم يُخصم أي مبلغ. جرّب مبلغاً آخر أو طريقة أخرى.",
    promptedTooOften: "أُرسلت طلبات دفع كثيرة إلى هذا الرقم. لم يُخصم أي مبلغ. حاول لاحقاً أو ادفع بطريقة أخرى.",
    slowDown: "محاولات كثيرة. لم يُخصم أي مبلغ. يرجى الانتظار دقيقة ثم المحاولة مرة أخرى.",
    payChosen: "ادفع",
    rate: "سعر الصرف",
    // The mark makes the sentence one from right to left, although it begins with Latin letters.
    rateFor: (rate, minutes) =>
      minutes < 1
        ? `\u200f\u2066${rate}\u2069، لأقل من دقيقة`
        : `\u200f\u2066${rate}\u2069، لمدة ${minutesText(minutes)}`,
    waitingText: (merchant) =>
      `تتحدث هذه الصفحة تلقائياً. سيُبلَّغ \u2068${merchant}\u2069 حتى لو أغلقتها. يرجى عدم الدفع مرة أخرى.`,
    againText: "لم تنجح عملية الدفع. يمكنك المحاولة مرة أخرى أو الدفع بطريقة أخرى.",
    canceledText: "أُلغيت عملية الدفع هذه. يمكنك المحاولة مرة أخرى أو الدفع بطريقة أخرى.",
    again: "حاول مرة أخرى",
    otpTitle: "أدخل الرمز",
    otpText: "أرسل مزوّد خدمة الدفع رمزاً لمرة واحدة إلى هاتفك.",
    otp: "رمز لمرة واحدة",
    otpProblem: "الرمز خاطئ. بعد 5 محاولات يُلغى الدفع.",
    otpSend: "تأكيد",
    otpResend: "إرسال رمز جديد",
    transferTitle: "نفّذ التحويل",
    transferText: "أرسل هذا المبلغ بالضبط إلى الحساب أدناه مع ذكر المرجع. تتحدث هذه الصفحة تلقائياً.",
    instructions: {
      account_name: "اسم الحساب",
      account_number: "رقم الحساب",
      bank_name: "المصرف",
      bank_code: "رمز المصرف",
      reference: "المرجع",
      expires_at: "ادفع قبل"
    },
    onwardTitle: "خطوة أخيرة",
    onwardText: "يجري تحويلك لتأكيد الدفع.",
    takenTitle: "عملية دفع جارية",
    takenText: "يقبل هذا الرابط عملية دفع واحدة في كل مرة. إذا كنت من بدأها فتابع في المتصفح نفسه.",
    takenUntil: (time) => `إذا لم يكتمل الدفع يمكن استخدام الرابط من جديد ابتداءً من \u2066${time}\u2069.`,
    cancelRefused: "لم يعد بالإمكان إلغاء الدفع. يرجى انتظار النتيجة.",
    resentTooOften: "أُرسلت رموز كثيرة. استخدم آخر رمز، أو حاول مرة أخرى بعد ساعة.",
    closed: {
      paid: { title: "تم الدفع من قبل", text: "تم دفع رابط الدفع هذا." },
      canceled: { title: "لم يعد متاحاً", text: "أُلغي رابط الدفع هذا. للدفع اطلب رابطاً جديداً ممن أرسله إليك." },
      expired: { title: "انتهت صلاحية الرابط", text: "للدفع اطلب رابطاً جديداً ممن أرسله إليك." }
    },
    notNowTitle: "غير متاح حالياً"
  }
}

/** Minutes in the grammatical number that the count asks for. */
function minutesText(minutes: number): string {
  if (minutes === 1) return "دقيقة واحدة"
  if (minutes === 2) return "دقيقتين"
  return minutes <= 10 ? `${minutes} دقائق` : `${minutes} دقيقة`
}
