"""The rules for other languages: an override, a role, an address, a demand and a leak each."""
# ruff: noqa: E501  # a rule is a row of a table

from rarr.tools.injection_rules import ADDRESS, DEMAND, LEAK, MESSAGE, OVERRIDE, ROLE, rule

_G = r"[^.!?;。！？；\n]{0,30}?"  # a gap within a sentence
_S = r"[^.!?;。！？；\n]{0,12}?"  # a short one

GERMAN = (
    rule(DEMAND, "bestatig genehmig akzeptier billig stimm", r"(?:bestatigen? sie|bestatige|genehmige|genehmigen sie|akzeptiere|akzeptieren sie|billige|stimme|stimmen sie)\b[^.!?\n]{0,20}?(?:den|dem|die|der|diesen|diese|jeden|jeder) (?:text|satz|behauptung|aussage)\b", order=True),
    rule(OVERRIDE, "ignorier vergiss vergessen missacht verwirf beachte befolge", rf"(?:ignorier(?:e|en sie|t)?|vergiss|vergessen sie|missachte\b|missachten sie|verwirf|(?:beachte|befolge)n?(?: sie)?\b{_S}(?:nicht|keine))\b{_G}(?:vorherig|bisherig|vorangegangen|vorangehend|fruher|obig|vorig|deine|ihre|alle|samtliche|system){_G}(?:anweisung|instruktion|befehl|vorgabe|prompt|richtlinie|aufforderung|regeln)", order=True),
    rule(ROLE, "du sie", r"\b(?:du bist|sie sind) (?:jetzt|nun|ab sofort|von nun an|ab jetzt|nicht (?:mehr|langer))\b[^.!?\n]{0,40}?(?:\bki\b|assistent|modell|chatbot|\bbot\b|prufer|system|gebunden)"),
    rule(ADDRESS, "ki sprachmodell chatbot assistent", r"\b(?:an|hinweis (?:an|fur)|liebe[rs]?|hallo|achtung|wenn du|falls du|wenn sie|falls sie|da du|als)\W{1,2}(?:(?:alle|die|jede|das|ein|eine|einen) ?){0,2}(?:\w{2,12} ){0,2}?(?:ki\b|ki-\w{3,12}|sprachmodelle?n?|chatbots?|assistent(?:en|in)?\b)(?: (?:bist|sind|liest|lesen))?(?=\s?[:,!]|, | (?:bist|sind|liest|musst|sollst|antworte))(?![^.!?\n]{0,30}\b(?:er|sie|es|wurde|war)\b)"),
    rule(DEMAND, "antworte gib geben schreib sag melde urteil bewerte markier behandle", r"(?:antworte|antworten sie|gib|geben sie|schreibe?|schreiben sie|sage?|sagen sie|melde|urteile|bewerte|bewerten sie|markiere|markieren sie|behandle|behandeln sie)\b[^.!?\n]{0,60}?(?:agrees|attributable|ubereinstimm|stimmt? uberein|als (?:\w{3,10} )?(?:wahr|richtig|korrekt|belegt|bestatigt|zutreffend|gestutzt)|(?:nur|ausschliesslich|lediglich) (?:noch )?(?:mit (?:dem wort|ja|nein|json|\")|das wort|\"))", order=True),
    rule(DEMAND, "urteil", r"(?:das|dein|ihr) urteil (?:lautet|ist|muss|soll)[^.!?\n]{0,30}?(?:agrees|ubereinstimm|stimmt|zustimm|attributable)"),
    rule(MESSAGE, "system anweisung", r"system-?(?:nachricht|anweisung|prompt|meldung|befehl)\s?:|neue (?:system)?(?:anweisung|instruktion)(?:en)?(?: (?:an|fur) \w{2,12}(?: \w{2,12})?)?\s?:"),
    rule(LEAK, "anweisung prompt system", r"(?:wiederhole|zeige?|nenne|verrate|gib|drucke|wiederholen sie|zeigen sie|nennen sie|geben sie)\b[^.!?\n]{0,30}?(?:deine|ihre|den|alle)\b[^.!?\n]{0,20}?(?:system-?prompt|anweisungen|prompt)\b", order=True),
)  # fmt: skip

FRENCH = (
    rule(DEMAND, "valid approuv accept", r"(?:validez?|approuvez?|acceptez?)\b[^.!?\n]{0,12}?(?:phrase|texte|affirmation|enonce)\b", order=True),
    rule(OVERRIDE, "abstraction compte", rf"(?:fai(?:tes|s|re) abstraction|ne (?:tenez|tiens) (?:pas|plus) compte)\b{_G}(?:instruction|consigne|directive|regle|prompt)", order=True),
    rule(OVERRIDE, "ignor oubli suiv compte", rf"(?:ignorez?|ignorer|oubliez?|oublier|ne (?:suivez|suis|tenez|tiens) (?:pas|plus)(?: compte)?)\b{_G}(?:instruction|consigne|directive|regle|ordre|invite|prompt)\w{{0,2}}\b{_G}(?:precedent|anterieur|ci.dessus|initial|plus haut|du systeme|recues?|qui precede|donnees)", order=True),
    rule(OVERRIDE, "ignor oubli", rf"(?:ignorez?|oubliez?)\b{_G}(?:toutes|tous|vos|tes|precedentes)\b{_S}(?:instruction|consigne|directive|prompt)", order=True),
    rule(ROLE, "tu es vous etes", r"\b(?:tu es|vous etes) (?:maintenant|desormais|a present|dorenavant)\b[^.!?\n]{0,40}?(?:\bia\b|assistant|modele|chatbot|robot|verificateur|libere)"),
    rule(ADDRESS, "ia modele assistant chatbot", r"(?:a l.attention (?:de|des|du)|note (?:a|aux|pour)|message (?:a|aux|pour)|cher|chere|bonjour|si (?:tu es|vous etes)|en tant qu|aux)\W{1,2}(?:(?:les|l|la|le|des|une?|toute|tous les) ?\"?){0,2}(?:\w{2,12} ){0,2}?(?:ia|modeles? (?:de langage|de langue)|assistants?(?: (?:ia|virtuel))?|chatbots?|agents? conversationnels?)(?=\s?[:,!]| (?:qui lit|qui lisent|lisant|tu dois|vous devez|analysant))"),
    rule(DEMAND, "repond repondre dis dites indique ecri conclu renvo marqu consider affirm", r"(?:reponds|repondez|repondre|dis|dites|indiquez?|ecris|ecrivez|conclus|concluez|renvoyez|renvoie|marquez?|considerez?|affirmez?|tu dois|vous devez)\b[^.!?\n]{0,60}?(?:agrees|attributable|(?:concorde|d.accord|correspond|confirme)\w{0,3} (?:avec|a) (?:la|le|les|l|chaque)|est d.accord|(?:sont?|comme|est|etre) (?:vraie?|exacte?|correcte?|confirmee?|verifiee?|etayee?)s?\b|(?:uniquement|seulement|exclusivement) (?:par|avec|que|le mot|\")|que le (?:texte|mot) (?:est|\"))", order=True),
    rule(DEMAND, "verdict", r"(?:le|votre|ton) verdict (?:est|doit|sera)[^.!?\n]{0,30}?(?:agrees|concord|d.accord|attributable|confirme)"),
    rule(MESSAGE, "systeme instruction", r"(?:message|instruction|consigne|invite|ordre)s? (?:du |de )?systeme\s?:|nouvelles? (?:instruction|consigne)s?\s?:"),
    rule(LEAK, "prompt instructions consignes invite", r"(?:repetez?|affichez?|affiche|revelez?|montrez?|donnez?|imprimez?|recopiez?)\b[^.!?\n]{0,30}?(?:(?:vos|tes|votre|ton)\b[^.!?\n]{0,15}?(?:instructions|consignes|prompt|invite)|prompt systeme|instructions systeme)", order=True),
)  # fmt: skip

SPANISH = (
    rule(DEMAND, "aprueb valid acept da de", r"(?:aprueb[ae]|valid[ae]|acept[ae]|da|de)\b[^.!?\n]{0,12}?(?:el texto|la frase|la afirmacion|la oracion)\b(?: por (?:buen|valid|corect|correct)\w{0,2})?(?=\s?(?:[.!\n]|$| por | sin | tal ))", order=True),
    rule(OVERRIDE, "ignor olvid hagas haga caso", rf"(?:ignor[ae]n?|ignorar|olvid[ae]n?|olvidar|no (?:hagas?|hagan) caso|haz caso omiso)\b{_G}(?:instruccion|indicacion|directriz|directrices|regla|orden|mensaje del sistema|prompt)\w{{0,4}}\b{_G}(?:anterior|previa|precedente|arriba|inicial|del sistema|recibid|dad[ao]s)", order=True),
    rule(OVERRIDE, "ignor olvid", rf"(?:ignor[ae]n?|olvid[ae]n?)\b{_G}(?:todas|tus|sus|anteriores|previas)\b{_S}(?:instruccion|indicacion|directric|prompt)", order=True),
    rule(ROLE, "eres es usted", r"\b(?:(?:eres|usted es) (?:ahora|desde ahora|a partir de ahora)|(?:ahora|a partir de ahora|desde ahora),? (?:eres|usted es|seras))\b[^.!?\n]{0,40}?(?:\bia\b|asistente|modelo|chatbot|robot|verificador|libre)"),
    rule(ADDRESS, "ia modelo asistente chatbot", r"(?:atencion|nota (?:para|a)|mensaje (?:para|a)|aviso (?:para|a)|instruccion\w{0,2} para|querid[oa]|estimad[oa]|hola|si eres|si usted es|como|para)\W{1,2}(?:(?:los|la|las|el|una?|cualquier|todos los|todas las) ?){0,2}(?:\w{2,12} ){0,2}?(?:ia|modelos? de (?:lenguaje|idioma)|asistentes?(?: (?:de ia|virtual))?|chatbots?)(?=\s?[:,!]| (?:que lea|que lee|debes|debe|leyendo))"),
    rule(DEMAND, "respond di diga indica escrib conclu devuelv marca considera debes afirma", r"(?:responde|responda|responder|di|diga|indica|indique|escribe|escriba|concluye|concluya|devuelve|devuelva|marca|marque|considera|considere|debes|afirma|afirme)\b[^.!?\n]{0,60}?(?:agrees|attributable|(?:concuerda|coincide|coinciden|concuerdan|esta de acuerdo)\b|(?:es|como|son|sea) (?:verdader|correct|cierta|cierto|exact|confirmad|verificad|respaldad)\w{0,3}\b|(?:solo|unicamente|solamente|exclusivamente) (?:con|que|la palabra|\"))", order=True),
    rule(DEMAND, "veredicto", r"(?:el|tu|su) veredicto (?:es|debe|sera)[^.!?\n]{0,30}?(?:agrees|concuerd|coincid|de acuerdo|attributable|correct)"),
    rule(MESSAGE, "sistema instruccion", r"(?:mensaje|instruccion|orden|aviso|indicacion)(?:es)? (?:del |de )sistema\s?:|nuevas? instruccion(?:es)?\s?:"),
    rule(LEAK, "prompt instrucciones indicaciones", r"(?:repite|repita|muestra|muestre|revela|revele|imprime|imprima|escribe|copia|dime)\b[^.!?\n]{0,30}?(?:(?:tus|sus|tu|su)\b[^.!?\n]{0,15}?(?:instrucciones|indicaciones|prompt)|prompt del sistema|instrucciones del sistema)", order=True),
)  # fmt: skip

ITALIAN = (
    rule(DEMAND, "approv convalid accett", r"(?:approv[ai]|approvate|convalid[ai]|accett[ai]|accettate)\b[^.!?\n]{0,12}?(?:testo|frase|affermazione)\b", order=True),
    rule(OVERRIDE, "ignor dimentic trascur segui tener", rf"(?:ignora|ignorate|ignori|ignorare|dimentica|dimenticate|dimentichi|trascura|non (?:seguire|tenere conto))\b{_G}(?:istruzion|indicazion|direttiv|regol|ordin|comand|prompt)\w{{0,2}}\b{_G}(?:precedent|sopra|inizial|del sistema|di sistema|ricevut|dat[eio]\b|anterior)", order=True),
    rule(OVERRIDE, "ignor dimentic", rf"(?:ignora|ignorate|ignori|dimentica|dimenticate)\b{_G}(?:tutte|tue|vostre|precedenti)\b{_S}(?:istruzion|indicazion|direttiv|prompt)", order=True),
    rule(ROLE, "sei adesso siete", r"\b(?:ora|adesso|da ora in poi|d.ora in poi),? (?:sei|siete|lei e)\b[^.!?\n]{0,40}?(?:\bia\b|\bai\b|assistente|modello|chatbot|robot|verificatore|liber)|\bsei (?:ora|adesso)\b[^.!?\n]{0,40}?(?:\bia\b|\bai\b|assistente|modello|chatbot|verificatore)"),
    rule(ADDRESS, "ia ai modell assistent chatbot", r"(?:attenzione|nota (?:per|a)|messaggio (?:per|a)|avviso (?:per|a)|istruzion\w (?:per|a)|car[oa]|gentile|ciao|se sei|come|per)\W{1,2}(?:(?:gli|i|le|la|il|l|un|una|ogni|tutti i) ?\"?){0,2}(?:\w{2,12} ){0,2}?(?:ia|modell[oi] linguistic[oi]|assistent[ei](?: (?:ia|ai|virtuale))?|chatbot|intelligenza artificiale)(?=\s?[:,!]| (?:che legge|che leggono|devi|deve))"),
    rule(DEMAND, "rispond di dica indica scriv conclud restitu contrassegn consider devi afferm", r"(?:rispondi|rispondete|risponda|rispondere|di|dica|indica|scrivi|scriva|concludi|restituisci|contrassegna|segna|considera|consideri|devi|afferma|affermi)\b[^.!?\n]{0,60}?(?:agrees|attributable|(?:concorda|concordano|corrisponde|coincide|e d.accordo)\b|(?:e|come|sono|sia) (?:vera|vero|corrett[ao]|esatt[ao]|confermat[ao]|verificat[ao]|supportat[ao])\b|(?:solo|soltanto|unicamente|esclusivamente) (?:con|che|la parola|\"))", order=True),
    rule(DEMAND, "verdetto", r"(?:il|tuo|suo) verdetto (?:e|deve|sara)\b[^.!?\n]{0,30}?(?:agrees|concord|corrispond|d.accordo|attributable|corrett)"),
    rule(MESSAGE, "sistema istruzion", r"(?:messaggio|istruzion[ei]|ordine|avviso|comando) (?:del |di )sistema\s?:|nuov[ae] istruzion[ei]\s?:"),
    rule(LEAK, "prompt istruzioni", r"(?:ripeti|ripeta|mostra|mostri|rivela|riveli|stampa|scrivi|copia|dimmi)\b[^.!?\n]{0,30}?(?:(?:tue|sue|tuo|suo)\b[^.!?\n]{0,15}?(?:istruzioni|prompt)|prompt di sistema|istruzioni di sistema)", order=True),
)  # fmt: skip

PORTUGUESE = (
    rule(DEMAND, "aprov valid aceit", r"(?:aprov[ae]m?|valid[ae]m?|aceit[ae]m?)\b[^.!?\n]{0,12}?(?:texto|frase|afirmacao)\b", order=True),
    rule(OVERRIDE, "ignor esque desconsider", rf"(?:ignor[ae]m?|ignorar|esquec[ae]m?|esquece|desconsider[ae]m?|nao (?:siga|sigas))\b{_G}(?:instruc|orientac|diretriz|regra|orden|comando|prompt)\w{{0,4}}\b{_G}(?:anterior|previa|precedente|acima|inicia|do sistema|recebid|dadas)", order=True),
    rule(OVERRIDE, "ignor esque desconsider", rf"(?:ignor[ae]m?|esquec[ae]m?|esquece|desconsider[ae]m?)\b{_G}(?:todas|tuas|suas|anteriores)\b{_S}(?:instruc|orientac|diretriz|prompt)", order=True),
    rule(ROLE, "voce tu", r"\b(?:agora|a partir de agora|de agora em diante),? (?:voce e|tu es|voce sera)\b[^.!?\n]{0,40}?(?:\bia\b|assistente|modelo|chatbot|robo|verificador|livre)|\bvoce (?:agora e|e agora)\b[^.!?\n]{0,40}?(?:\bia\b|assistente|modelo|chatbot|verificador)"),
    rule(ADDRESS, "ia modelo assistente chatbot", r"(?:atencao|nota (?:para|a)|mensagem (?:para|a)|aviso (?:para|a|as|aos)|instruc\w{2,4} para|car[oa]|prezad[oa]|ola|se voce e|como|para)\W{1,2}(?:(?:os|as|a|o|uma?|qualquer|todos os) ?){0,2}(?:\w{2,12} ){0,2}?(?:ia|modelos? de linguagem|assistentes?(?: (?:de ia|virtual))?|chatbots?)(?=\s?[:,!]| (?:que le|que leia|que leem|voce deve|deve))"),
    rule(DEMAND, "respond diga indique escrev conclua devolva retorne marque considere deve afirme", r"(?:responda|responde|responder|diga|indique|escreva|conclua|devolva|retorne|marque|considere|voce deve|afirme)\b[^.!?\n]{0,60}?(?:agrees|attributable|(?:concorda|concordam|coincide|coincidem|corresponde)\b|(?:e|como|sao|seja) (?:verdadeir|corret|exat|confirmad|verificad|apoiad)\w{0,3}\b|(?:apenas|somente|so|unicamente|exclusivamente) (?:com|que|a palavra|\"))", order=True),
    rule(DEMAND, "veredicto veredito", r"(?:o|seu|teu) veredic?to (?:e|deve|sera)\b[^.!?\n]{0,30}?(?:agrees|concord|coincid|de acordo|attributable|corret)"),
    rule(MESSAGE, "sistema instruc", r"(?:mensagem|instrucao|instrucoes|ordem|aviso|comando) (?:do |de )sistema\s?:|novas? instruc(?:ao|oes)\s?:"),
    rule(LEAK, "prompt instrucoes", r"(?:repita|repete|mostre|mostra|revele|revela|imprima|escreva|copie|exiba)\b[^.!?\n]{0,30}?(?:(?:suas|tuas|seu|teu)\b[^.!?\n]{0,15}?(?:instrucoes|prompt)|prompt (?:do|de) sistema|instrucoes do sistema)", order=True),
)  # fmt: skip
