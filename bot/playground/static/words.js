// The page's own words. Whatever the bot says comes from the bot.

const WORDS = {
  en: {
    skip: "Skip to the message box",
    youAre: "You are",
    channels: "Channels", apps: "Direct messages and apps", join: "Join", joinChannel: (name) => `Join #${name}`,
    home: "Home", messages: "Messages", app: "APP", guest: "guest", admin: "admin", you: "you",
    private: "private channel", public: "public channel", shared: "shared with another company", direct: "direct message",
    members: (n) => (n === 1 ? "1 member" : `${n} members`),
    unread: (n) => (n === 1 ? "1 unread message" : `${n} unread messages`),
    message: (where) => `Message ${where}`, reply: "Reply…", send: "Send", stop: "Stop",
    hintChannel: "Mention @testigo to ask. Enter sends, Shift+Enter starts a new line.",
    hintDirect: "Just ask. Enter sends, Shift+Enter starts a new line, / shows the commands.",
    beginChannel: (name) => `This is the very beginning of #${name}`,
    beginDirect: "Ask Testigo", beginDirectText: "Whatever you ask here, only you see the answer, from documents that you may read.",
    beginPublic: "In a public channel the answer uses only what everybody in the company may read.",
    beginPrivate: "In a private channel the answer uses only what every member may read.",
    beginShared: "This channel is shared with another company: Testigo answers nothing here.",
    tryAsking: "Try asking", onlyYou: "Only visible to you", edited: "(edited)",
    thread: "Thread", closeThread: "Close the thread", replies: (n) => (n === 1 ? "1 reply" : `${n} replies`), lastReply: "Last reply",
    alsoSent: "Also sent to the channel", replyInThread: "Reply in thread", addReaction: "React", edit: "Edit", delete: "Delete",
    save: "Save", cancel: "Cancel", close: "Close", submit: "Submit", optional: "(optional)", required: "Complete this required field.",
    tooShort: (n) => `Enter at least ${n} characters.`, tooLong: (n) => `Enter at most ${n} characters.`,
    choose: "Choose…", chooseSeveral: "Choose one or more…", chosen: (n) => `${n} chosen`, none: "No suggestions",
    more: "More actions", noHome: "The app has not drawn its home tab yet.",
    cannotDraw: (type) => `[cannot draw “${type}”]`, image: "image", streaming: "writing…", stopped: "Stopped", plan: "Plan",
    task: { pending: "waiting", in_progress: "in progress", complete: "done", error: "failed" },
    today: "Today", dark: "Dark mode", light: "Light mode", language: "Español", languageLabel: "Cambiar a español",
    commands: "Commands", people: "People", menu: "Channels and people", workspace: "Workspace", typing: (name, status) => `${name} ${status}`,
    lost: "The connection to the playground is gone: is it still running?", back: "Connected again.",
    error: {
      gone: "That is not there any more.", archived: "This channel is archived.", empty: "There is nothing to send.", invalid: "That could not be sent.",
      no_command: "That is no command of this workspace.", command_in_thread: "Slack takes no commands in threads: write it in the channel.",
      operation_timeout: "The app did not answer in time.", dispatch_failed: "The app could not be reached.", other: "Something went wrong.",
    },
    pressed: "Sent", violations: (n) => `Slack would have refused ${n} of the bot's requests`, says: (name, text) => `${name}: ${text}`, ask: "Ask",
    viewing: (name) => `You are now ${name}.`, channelNow: (name) => `Channel ${name}`,
    disclaimer: "Playground: an invented company. Nothing leaves this machine.",
    rows: "Table", show: "Show", sources: "Sources", previous: "Back",
  },
  es: {
    skip: "Ir al cuadro de mensaje",
    youAre: "Eres",
    channels: "Canales", apps: "Mensajes directos y aplicaciones", join: "Unirse", joinChannel: (name) => `Unirse a #${name}`,
    home: "Inicio", messages: "Mensajes", app: "APP", guest: "invitada", admin: "admin", you: "tú",
    private: "canal privado", public: "canal público", shared: "compartido con otra empresa", direct: "mensaje directo",
    members: (n) => (n === 1 ? "1 miembro" : `${n} miembros`),
    unread: (n) => (n === 1 ? "1 mensaje sin leer" : `${n} mensajes sin leer`),
    message: (where) => `Mensaje a ${where}`, reply: "Responder…", send: "Enviar", stop: "Parar",
    hintChannel: "Menciona a @testigo para preguntar. Intro envía, Mayús+Intro abre otra línea.",
    hintDirect: "Pregunta sin más. Intro envía, Mayús+Intro abre otra línea, / muestra las órdenes.",
    beginChannel: (name) => `Aquí empieza #${name}`,
    beginDirect: "Pregunta a Testigo", beginDirectText: "Lo que preguntes aquí solo lo ves tú, y sale de documentos que puedes leer.",
    beginPublic: "En un canal público la respuesta usa solo lo que puede leer toda la empresa.",
    beginPrivate: "En un canal privado la respuesta usa solo lo que pueden leer todos sus miembros.",
    beginShared: "Este canal está compartido con otra empresa: Testigo no responde nada aquí.",
    tryAsking: "Prueba a preguntar", onlyYou: "Solo lo ves tú", edited: "(editado)",
    thread: "Hilo", closeThread: "Cerrar el hilo", replies: (n) => (n === 1 ? "1 respuesta" : `${n} respuestas`), lastReply: "Última respuesta",
    alsoSent: "Enviado también al canal", replyInThread: "Responder en el hilo", addReaction: "Reaccionar", edit: "Editar", delete: "Borrar",
    save: "Guardar", cancel: "Cancelar", close: "Cerrar", submit: "Enviar", optional: "(opcional)", required: "Rellena este campo obligatorio.",
    tooShort: (n) => `Escribe al menos ${n} caracteres.`, tooLong: (n) => `Escribe como mucho ${n} caracteres.`,
    choose: "Elige…", chooseSeveral: "Elige uno o varios…", chosen: (n) => `${n} elegidos`, none: "Sin sugerencias",
    more: "Más acciones", noHome: "La aplicación aún no ha dibujado su inicio.",
    cannotDraw: (type) => `[no sé dibujar «${type}»]`, image: "imagen", streaming: "escribiendo…", stopped: "Parado", plan: "Plan",
    task: { pending: "en espera", in_progress: "en curso", complete: "hecho", error: "falló" },
    today: "Hoy", dark: "Modo oscuro", light: "Modo claro", language: "English", languageLabel: "Switch to English",
    commands: "Órdenes", people: "Personas", menu: "Canales y personas", workspace: "Espacio de trabajo", typing: (name, status) => `${name} ${status}`,
    lost: "Se ha perdido la conexión con el espacio de pruebas: ¿sigue en marcha?", back: "Conexión recuperada.",
    error: {
      gone: "Eso ya no está.", archived: "Este canal está archivado.", empty: "No hay nada que enviar.", invalid: "No se ha podido enviar.",
      no_command: "Este espacio de trabajo no tiene esa orden.", command_in_thread: "Slack no admite órdenes en los hilos: escríbela en el canal.",
      operation_timeout: "La aplicación no ha respondido a tiempo.", dispatch_failed: "No se ha podido llegar a la aplicación.", other: "Algo ha ido mal.",
    },
    pressed: "Enviado", violations: (n) => `Slack habría rechazado ${n} peticiones del bot`, says: (name, text) => `${name}: ${text}`, ask: "Preguntar",
    viewing: (name) => `Ahora eres ${name}.`, channelNow: (name) => `Canal ${name}`,
    disclaimer: "Espacio de pruebas: una empresa inventada. Nada sale de esta máquina.",
    rows: "Tabla", show: "Mostrar", sources: "Fuentes", previous: "Volver",
  },
};

const stored = localStorage.getItem("language");
export let language = stored in WORDS ? stored : navigator.language.startsWith("es") ? "es" : "en";

export const words = () => WORDS[language];
export const locale = () => (language === "es" ? "es-ES" : "en-GB");

export function setLanguage(next) {
  language = next;
  localStorage.setItem("language", next);
  document.documentElement.lang = next;
}
document.documentElement.lang = language;
