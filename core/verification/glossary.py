"""Words of company handbooks under one name, so that a Spanish and an English statement can be compared."""

from core.verification.wording import pairs, words

GLOSSARY = pairs("""
    vacation: vacaciones vacación vacation vacations holiday holidays
    leave: permiso permisos baja bajas licencia licencias leave leaves excedencia
    employee: empleado empleados empleada trabajador trabajadores plantilla personal employee employees staff
    employee: worker workers
    paid: pagado pagada pagados retribuido retribuida retribuidos retribuidas remunerado paid
    notice: preaviso aviso notice
    period: periodo período plazo period term deadline
    probation: prueba probation probationary trial
    salary: salario sueldo nómina salary pay wage wages
    expense: gasto gastos expense expenses
    travel: viaje viajes desplazamiento travel trip trips
    meal: comida comidas dieta dietas meal meals
    limit: límite tope máximo máxima limit maximum cap
    minimum: mínimo mínima minimum
    price: precio tarifa coste costo cuesta cuestan price fee rate cost costs
    allowance: asignación ayuda allowance
    bonus: bonus bono prima
    remote: remoto teletrabajo teletrabajar remote telework remotely
    work: trabajo trabajar work working
    office: oficina oficinas office offices
    password: contraseña contraseñas password passwords
    retention: conservación retención retention
    backup: copia copias respaldo backup backups
    invoice: factura facturas invoice invoices
    request: solicitud solicitar solicitudes request requests apply
    maternity: maternidad maternity
    paternity: paternidad paternity
    sick: enfermedad sick sickness illness
    marriage: matrimonio boda marriage wedding
    overtime: extra extras extraordinarias overtime
    training: formación training
    budget: presupuesto budget
    customer: cliente clientes customer customers client clients
    response: respuesta response
    support: soporte asistencia support
    parking: aparcamiento aparcamientos parking
    space: plaza plazas space spaces
    year: año anual anuales year annual yearly
    month: mes mensual month monthly
    entitled: derecho entitled entitlement
    day: jornada
    schedule: horario schedule hours
""")

GENERIC = words(
    "limit minimum period price budget allowance day request schedule work notice cost response support leave training "
    "retention office customer"
)
"""Names that say little without the section they stand in."""

FILLERS = words("""
    son sera seran deben debe puede pueden corresponden corresponde disfrutan disfrutar disponen dispone reciben recibe
    get gets receive receives given granted give per total cada todos todas every must may can entitled derecho have has
    tienen tiene ano anos year years anual annual anuales empleado empleados employee employees trabajador trabajadores
    plantilla personal staff worker workers establece fija establishes set sets hay there within
    least most about from since after before
""")
"""Words (without accents) that carry no attribute."""

EVERYONE = words(
    "empleado empleados employee employees trabajador trabajadores plantilla personal staff worker workers"
)
"""Those of them that say for whom."""
